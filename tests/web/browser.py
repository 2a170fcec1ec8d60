"""A headless Chromium over its debugging pipe: no network port, no package beyond Python.

    with Browser() as browser:
        page = browser.page(1280, 720)
        page.open("file:///...")
        page.value("document.title")
"""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps", "--mute-audio",
    "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--no-proxy-server",
]
HANGS = 60  # seconds; nothing here takes a tenth of it


class Browser:
    def __init__(self, command="chromium"):
        self.home = tempfile.mkdtemp(prefix="approf-browser-")
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()

        def wire():  # the browser reads commands from descriptor 3, and writes to 4
            first, second = os.dup(to_child), os.dup(from_child)
            os.dup2(first, 3)
            os.dup2(second, 4)

        environment = {**os.environ, "HOME": self.home, "XDG_CONFIG_HOME": self.home, "XDG_CACHE_HOME": self.home}
        for name in ("LD_PRELOAD", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [command, *FLAGS, f"--user-data-dir={self.home}/data", "about:blank"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=wire, env=environment,
            start_new_session=True)
        os.close(to_child)
        os.close(from_child)
        self.pending = b""
        self.numbers = itertools.count(1)
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired, RuntimeError):
            pass
        if self.process.poll() is None:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise RuntimeError("the browser does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.pending += more
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        until = time.monotonic() + HANGS
        while True:
            answer = self.read(until)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def page(self, width, height, mobile=False):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, width, height, mobile)


KEYS = {
    "Enter": (13, "\r"), "Escape": (27, ""), "Backspace": (8, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""),
    "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""),
}


class Page:
    def __init__(self, browser, session, width, height, mobile):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.size(width, height, mobile)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def size(self, width, height, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefer(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, url):
        """Waits until the page has its profile."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        self.until("document.documentElement?.dataset.ready === 'yes'")

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + HANGS
        while True:
            try:
                if self.value(expression):
                    return
            except RuntimeError as error:
                if "context" not in str(error).lower():
                    raise
            if time.monotonic() > end:
                raise RuntimeError(f"waited in vain for {expression}")
            time.sleep(0.02)

    def key(self, key):
        code, text = KEYS.get(key, (ord(key.upper()) if len(key) == 1 else 0, key))
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none", clickCount=1)

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def settled(self):
        """Two frames later: what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def shot(self, path):
        self.settled()
        data = self.send("Page.captureScreenshot", format="png")["data"]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def trace(self, expression):
        """(value of the expression, what the browser's own tracing says of the time in which it was computed)."""
        self.send("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"]})
        value = self.value(expression)
        self.send("Tracing.end")
        end = time.monotonic() + HANGS
        while not any(event.get("method") == "Tracing.tracingComplete" for event in self.browser.events):
            self.browser.events.append(self.browser.read(end))
        parts = [event["params"]["value"] for event in self.browser.events if event.get("method") == "Tracing.dataCollected"]
        self.browser.events = [event for event in self.browser.events if not event.get("method", "").startswith("Tracing.")]
        return value, [event for part in parts for event in part]

    def complaints(self):
        """What the page has thrown, logged as an error or been forbidden. (That tests read a canvas often is nobody's fault.)"""
        found = []
        for event in self.browser.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                found.append(str(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning") and "readback" not in parameters["entry"]["text"]:
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        """All addresses that were asked for."""
        return [event["params"]["request"]["url"] for event in self.browser.events if event.get("method") == "Network.requestWillBeSent"]
