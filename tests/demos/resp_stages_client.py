"""resp_stages_client.py PORT [largest]: what a stage says to raw bytes; the same for all of them."""

import sys

from resp_client import Raw, expect, finish, largest_value, request

PORT = int(sys.argv[1])
raw = Raw(PORT)

expect("ping", raw.ask("PING"), b"+PONG")
expect("ping x", raw.ask("ping", "x\r\n"), b"x\r\n")
expect("set", raw.ask("SET", "a", b"\x00\r\n1"), b"+OK")
expect("get", raw.ask("GET", "a"), b"\x00\r\n1")
expect("get of nothing", raw.ask("GET", "nothing"), None)
expect("set the empty", raw.ask("SET", "", ""), b"+OK")
expect("get the empty", raw.ask("GET", ""), b"")
expect("del", raw.ask("DEL", "a", "", "nothing"), b":2")
expect("get after del", raw.ask("GET", "a"), None)
expect("command", raw.ask("COMMAND"), [])
expect("unknown", raw.ask("FOO", "b\r\nar"), b"-ERR unknown command 'FOO', with args beginning with: 'b  ar' ")
for name in ("SET", "GET", "DEL"):
    expect(f"{name} alone", raw.ask(name), f"-ERR wrong number of arguments for '{name.lower()}' command".encode())
expect("set, too much", raw.ask("SET", "a", "b", "EX"), b"-ERR syntax error")
expect("del, more than the slots", raw.ask("DEL", *range(1000)), b":0")

# Values around what is short and what the buffers hold, written over one another.
for size in (4095, 4096, 4097, 1, 8191, 8192, 16384, 40000, 3, 5_000_000, 0):
    value = (b"%d." % size * (size // 2 + 1))[:size]
    expect(f"set {size} bytes", raw.ask("SET", "sized", value), b"+OK")
    expect(f"get {size} bytes", raw.ask("GET", "sized") == value, True)
# More short ones in one request than the shared buffer holds.
keys = [b"%04d" % i * 1000 for i in range(30)]
for key in keys:
    raw.send(request("SET", key, key[::-1]))
expect("set many", [raw.reply() for _ in keys], [b"+OK"] * 30)
expect("del many", raw.ask("DEL", *keys), b":30")

for byte in request("SET", "slowly", "typed"):
    raw.send(bytes([byte]))
expect("byte by byte", raw.reply(), b"+OK")
# Requests cut at every place.
data = request("SET", "cut", "value") + request("GET", "cut")
for at in range(1, len(data)):
    raw.send(data[:at])
    if at % 7 == 0:
        expect("another in between", Raw(PORT).ask("PING"), b"+PONG")
    raw.send(data[at:])
    expect(f"cut at {at}", [raw.reply(), raw.reply()], [b"+OK", b"value"])
raw.send(b"*0\r\n" + request("PING"))
expect("an empty array", raw.reply(), b"+PONG")
count = 20000
raw.send(b"".join(request("SET", f"k{i % 100}", i) for i in range(count)) + request("GET", "k99"))
expect("pipelined", [raw.reply() for _ in range(count)], [b"+OK"] * count)
expect("the last", raw.reply(), b"%d" % (count - 1))

cases = {
    b"*1\r\n$536870913\r\n": b"-ERR Protocol error: invalid bulk length",
    b"*1\r\n$-1\r\n": b"-ERR Protocol error: invalid bulk length",
    b"*1\r\n$\r\n": b"-ERR Protocol error: invalid bulk length",
    b"*1048577\r\n": b"-ERR Protocol error: invalid multibulk length",
    b"*x\r\n": b"-ERR Protocol error: invalid multibulk length",
    b"*1\r\n:1\r\n": b"-ERR Protocol error: expected '$', got ':'",
    b"*1\r\n*1\r\n$1\r\na\r\n": b"-ERR Protocol error: expected '$', got '*'",
    b"PING\r\n": b"-ERR Protocol error: expected '*', got 'P'",
    b"*" + b"1" * 70000 + b"\r\n": b"-ERR Protocol error: too big line",
}
for data, wanted in cases.items():
    bad = Raw(PORT)
    bad.send(data)
    expect(f"{data[:40]!r}", bad.reply(), wanted)
    expect(f"{data[:40]!r}: then closed", bad.closed(), True)

idle = [Raw(PORT) for _ in range(1000)]
expect("beside 1,000 idle ones", raw.ask("PING"), b"+PONG")
expect("an idle one", idle[999].ask("PING"), b"+PONG")
for one in idle:
    one.close()
for cut in (b"*", b"*3\r\n$3\r\nSET", b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\nabc", b"*1\r\n$536870912\r\nx"):
    for _ in range(30):
        one = Raw(PORT)
        one.send(cut)
        one.close()
# One who asks and does not read holds up nobody else.
raw.ask("SET", "wide", b"x" * 1000000)
slow = Raw(PORT)
slow.send(request("GET", "wide") * 30)
half = Raw(PORT)
half.send(b"*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$100000\r\n")
for _ in range(100):
    expect("beside a slow reader and a slow writer", raw.ask("PING"), b"+PONG")
half.send(b"h" * 100000 + b"\r\n")
expect("the slow writer", half.reply(), b"+OK")
expect("the slow reader", [len(slow.reply()) for _ in range(30)], [1000000] * 30)
if "largest" in sys.argv[2:]:
    largest_value(PORT)
finish()
