"""redis_clone_client.py PORT [largest]: what redis-clone says to python3-redis and to raw bytes."""

import sys
import threading
import time

import redis

from resp_client import Raw, expect, finish, largest_value, request

PORT = int(sys.argv[1])
client = redis.Redis(port=PORT, socket_timeout=20)


def error_of(*arguments):
    try:
        client.execute_command(*arguments)
    except redis.exceptions.ResponseError as error:
        return str(error)
    return "no error"


def strings():
    expect("ping", client.ping(), True)
    expect("echo", client.echo(b"a\r\n\x00b"), b"a\r\n\x00b")
    expect("set", client.set("s", "one"), True)
    expect("get", client.get("s"), b"one")
    expect("get of nothing", client.get("nothing"), None)
    expect("exists", client.exists("s", "nothing", "s"), 2)
    expect("nx", client.set("s", "two", nx=True), None)
    expect("xx", client.set("new", "two", xx=True), None)
    expect("del", client.delete("s", "nothing"), 1)
    expect("get after del", client.get("s"), None)
    expect("incr", [client.incr("n"), client.incr("n")], [1, 2])
    client.set("n", 2**63 - 1)
    expect("incr over", error_of("INCR", "n"), "increment or decrement would overflow")
    for text in ("", "x", " 1", "1 ", "01", "+1", "1.0", "9223372036854775808"):
        client.set("n", text)
        expect(f"incr of {text!r}", error_of("INCR", "n"), "value is not an integer or out of range")
    client.set("n", "-9223372036854775808")
    expect("incr of the least", client.incr("n"), -9223372036854775807)


def lists():
    client.delete("l")
    expect("rpush", client.rpush("l", "c", "d"), 2)
    expect("lpush", client.lpush("l", "b", "a"), 4)
    expect("lrange", client.lrange("l", 0, -1), [b"a", b"b", b"c", b"d"])
    expect("lrange, the middle", client.lrange("l", 1, 2), [b"b", b"c"])
    expect("lrange, from the end", client.lrange("l", -2, -1), [b"c", b"d"])
    expect("lrange, too far", client.lrange("l", -100, 100), [b"a", b"b", b"c", b"d"])
    expect("lrange, none", client.lrange("l", 3, 1), [])
    expect("lrange, behind", client.lrange("l", 4, 9), [])
    expect("lrange, far out", client.lrange("l", -(2**63), 2**63 - 1), [b"a", b"b", b"c", b"d"])
    expect("llen", client.llen("l"), 4)
    expect("lpop", client.lpop("l"), b"a")
    expect("rpop", client.rpop("l"), b"d")
    expect("lpop 5", client.execute_command("LPOP", "l", 5), [b"b", b"c"])
    expect("an empty list is none", client.exists("l"), 0)
    expect("lpop of nothing", client.lpop("l"), None)
    expect("lpop 1 of nothing", client.execute_command("LPOP", "l", 1), None)
    expect("lpop -1", error_of("LPOP", "l", -1), "value is out of range, must be positive")

    # Against a model: pushes and pops at both ends, long enough to double and to wander.
    model = []
    for step in range(6000):
        kind = (step * 7919 + step // 97) % 5
        value = b"%d" % step
        if kind < 2:
            client_reply, model = client.lpush("m", value), [value] + model
            expect("lpush, length", client_reply, len(model))
        elif kind == 2:
            model.append(value)
            expect("rpush, length", client.rpush("m", value), len(model))
        elif step % 1000 < 500:
            expect("rpop", client.rpop("m"), model.pop() if model else None)
        else:
            expect("lpop", client.lpop("m"), model.pop(0) if model else None)
    expect("the list in the end", client.lrange("m", 0, -1), model)
    client.delete("m")
    # A queue: in at the left, out at the right.
    for step in range(3000):
        client.lpush("q", step)
        if step >= 3:
            expect("queue", client.rpop("q"), b"%d" % (step - 3))
    client.delete("q")


def errors():
    wrong = "WRONGTYPE Operation against a key holding the wrong kind of value"
    client.delete("l", "s")
    client.rpush("l", 1)
    client.set("s", 1)
    for arguments in (("GET", "l"), ("INCR", "l"), ("LPUSH", "s", 1), ("RPUSH", "s", 1), ("LPOP", "s"),
                      ("RPOP", "s"), ("LLEN", "s"), ("LRANGE", "s", 0, 1), ("BLPOP", "s", 1)):
        raw = Raw(PORT)
        expect(f"{arguments}", raw.ask(*arguments), b"-" + wrong.encode())
        raw.close()
    expect("set over a list", client.set("l", 2), True)
    for name in ("get", "set", "incr", "del", "exists", "lpush", "rpush", "lpop", "llen", "lrange", "blpop", "echo"):
        expect(f"{name} alone", error_of(name), f"wrong number of arguments for '{name}' command")
    raw = Raw(PORT)
    expect("unknown", raw.ask("FOO", "bar", "baz"),
           b"-ERR unknown command 'FOO', with args beginning with: 'bar' 'baz' ")
    expect("unknown with line ends", raw.ask("F\r\nOO"), b"-ERR unknown command 'F  OO', with args beginning with: ")
    expect("set, wrong word", raw.ask("SET", "a", "b", "NO"), b"-ERR syntax error")
    expect("set ex 0", raw.ask("SET", "a", "b", "EX", "0"), b"-ERR invalid expire time in 'set' command")
    expect("set ex far", raw.ask("SET", "a", "b", "EX", str(2**63 - 1)), b"-ERR invalid expire time in 'set' command")
    expect("set ex x", raw.ask("SET", "a", "b", "EX", "x"), b"-ERR value is not an integer or out of range")
    expect("lrange x", raw.ask("LRANGE", "l", "x", "1"), b"-ERR value is not an integer or out of range")
    expect("blpop x", raw.ask("BLPOP", "l", "x"), b"-ERR timeout is not a float or out of range")
    expect("blpop -1", raw.ask("BLPOP", "l", "-1"), b"-ERR timeout is negative")
    expect("config get", raw.ask("CONFIG", "GET", "save"), [b"save", b""])
    expect("config nonsense", raw.ask("CONFIG", "X"), b"-ERR unknown subcommand 'X'. Try CONFIG HELP.")
    expect("command count", raw.ask("COMMAND", "COUNT")[:1], b":")
    expect("command", len(raw.ask("COMMAND")) > 15, True)


def protocol():
    cases = {
        b"*1\r\n$536870913\r\n": b"-ERR Protocol error: invalid bulk length",
        b"*1\r\n$-1\r\n": b"-ERR Protocol error: invalid bulk length",
        b"*1\r\n$x\r\n": b"-ERR Protocol error: invalid bulk length",
        b"*1048577\r\n": b"-ERR Protocol error: invalid multibulk length",
        b"*99999999999999999999\r\n": b"-ERR Protocol error: invalid multibulk length",
        b"*x\r\n": b"-ERR Protocol error: invalid multibulk length",
        b"*1\r\n:1\r\n": b"-ERR Protocol error: expected '$', got ':'",
        b'SET "a\r\n': b"-ERR Protocol error: unbalanced quotes in request",
        b'SET "a"b\r\n': b"-ERR Protocol error: unbalanced quotes in request",
        b"x" * 70000 + b"\r\n": b"-ERR Protocol error: too big inline request",
        b"*" + b"1" * 70000 + b"\r\n": b"-ERR Protocol error: too big mbulk count string",
    }
    for data, wanted in cases.items():
        raw = Raw(PORT)
        raw.send(data)
        expect(f"{data[:40]!r}", raw.reply(), wanted)
        expect(f"{data[:40]!r}: then closed", raw.closed(), True)

    raw = Raw(PORT)
    raw.send(b"*0\r\n\r\n*-1\r\nPING\r\nping hello\r\n  SET 'in line' \"a\\x41\\n\"  \r\nGET 'in line'\r\n")
    expect("inline", [raw.reply() for _ in range(4)], [b"+PONG", b"hello", b"+OK", b"aA\n"])
    # One byte at a time, and all at once.
    for byte in request("ECHO", "slowly"):
        raw.send(bytes([byte]))
    expect("byte by byte", raw.reply(), b"slowly")
    raw.send(request("INCR", "pipelined") * 5000)
    expect("pipelined", [raw.reply() for _ in range(5000)], [b":%d" % (i + 1) for i in range(5000)])
    big = bytes(range(256)) * 40000
    expect("set 10 MB", raw.ask("SET", "big", big), b"+OK")
    expect("get 10 MB", raw.ask("GET", "big") == big, True)
    many = [b"%d" % i for i in range(100000)]
    expect("rpush 100,000", raw.ask("RPUSH", "many", *many), b":100000")
    expect("lpush 100,000", raw.ask("LPUSH", "many", *many), b":200000")
    expect("lrange 200,000", raw.ask("LRANGE", "many", 0, -1), many[::-1] + many)
    expect("del of big ones", raw.ask("DEL", "many", "big"), b":2")
    expect("quit", raw.ask("QUIT"), b"+OK")
    expect("closed after quit", raw.closed(), True)


def expiry():
    client.set("short", 1, px=150)
    client.set("long", 1, ex=100)
    expect("ttl", (client.ttl("long"), client.ttl("s"), client.ttl("nothing")), (100, -1, -2))
    expect("pttl", 0 < client.pttl("short") <= 150, True)
    client.set("long", 2)
    expect("set takes the time away", client.ttl("long"), -1)
    before = client.dbsize()
    deadline = time.time() + 15
    while client.dbsize() == before and time.time() < deadline:
        time.sleep(0.05)  # nobody reads the key: the server has to see by itself
    expect("gone unread", client.dbsize(), before - 1)
    expect("gone", client.get("short"), None)


def blocking():
    # Two wait; one push with three values: the longer waiting has the first, one value is left.
    first, second = Raw(PORT), Raw(PORT)
    first.send(request("BLPOP", "none", "w", 0))
    time.sleep(0.3)
    second.send(request("BLPOP", "w", 0))
    time.sleep(0.3)
    expect("push to two who wait", client.rpush("w", "a", "b", "c"), 3)
    expect("the first", first.reply(), [b"w", b"a"])
    expect("the second", second.reply(), [b"w", b"b"])
    expect("left over", client.lrange("w", 0, -1), [b"c"])
    expect("without waiting", first.ask("BLPOP", "none", "w", 0), [b"w", b"c"])
    expect("timed out", first.ask("BLPOP", "w", "0.1"), None)
    # LPUSH of several: the last one is at the head when the waiting are served.
    first.send(request("BLPOP", "w", 0))
    time.sleep(0.3)
    client.lpush("w", "x", "y")
    expect("lpush serves the head", first.reply(), [b"w", b"y"])
    client.delete("w")
    # One who has gone gets nothing.
    first.send(request("BLPOP", "w", 0))
    time.sleep(0.3)
    first.close()
    time.sleep(0.3)
    client.rpush("w", "kept")
    expect("not given to one who has gone", client.lrange("w", 0, -1), [b"kept"])
    client.delete("w")
    # Replies from before come before the wait.
    second.send(request("PING") + request("BLPOP", "w", "0.2") + request("PING"))
    expect("around a wait", [second.reply() for _ in range(3)], [b"+PONG", None, b"+PONG"])
    # Many at once, each value to exactly one.
    got, lock = [], threading.Lock()

    def wait_once():
        mine = redis.Redis(port=PORT, socket_timeout=20)
        value = mine.blpop("w", 15)
        with lock:
            got.append(value and value[1])

    threads = [threading.Thread(target=wait_once) for _ in range(50)]
    for thread in threads:
        thread.start()
    for value in range(50):
        client.rpush("w", value)
    for thread in threads:
        thread.join()
    expect("each value once", sorted(got, key=lambda v: int(v or -1)), [b"%d" % i for i in range(50)])


def rough():
    idle = [Raw(PORT) for _ in range(1000)]
    expect("beside 1,000 idle ones", client.ping(), True)
    for at in (0, 500, 999):
        expect("an idle one", idle[at].ask("PING"), b"+PONG")
    for raw in idle:
        raw.close()
    for cut in (b"*", b"*3\r\n$3\r\nSET", b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\nabc", b"GET x", b"*1\r\n$536870912\r\nx"):
        for _ in range(50):
            raw = Raw(PORT)
            raw.send(cut)
            raw.close()
    expect("after those that vanished", client.ping(), True)
    # One who asks and does not read holds up nobody else.
    client.set("wide", b"x" * 1000000)
    slow = Raw(PORT)
    slow.sock.settimeout(20)
    slow.send(request("GET", "wide") * 50)
    for _ in range(100):
        expect("beside a slow reader", client.ping(), True)
    expect("the slow one's first", len(slow.reply()), 1000000)
    slow.close()
    expect("flushall", client.flushall(), True)
    expect("dbsize", client.dbsize(), 0)


for part in (strings, lists, errors, protocol, expiry, blocking, rough):
    part()
if "largest" in sys.argv[2:]:
    largest_value(PORT)
finish()
