# SPDX-License-Identifier: MIT
"""Clients that mean no good: backend_hostile.py ADDRESS ATTACK. Exits with 0 when it has done all.

  garbage    bytes that are no messages, each on a connection of its own, and messages with bits
             turned over
  flood      ten thousand calls without reading an answer, then all answers
  large      messages as large as the bus lets through
  fuzz SEED  calls of random methods with random arguments at random objects
  leave      flips, each by a client that is gone before it is answered
"""

import random
import sys

from backend_wire import (BUS, CALL, DESTINATION, ERROR, ERROR_NAME, INTERFACE, MEMBER, NO_REPLY,
                          PATH, PROPERTIES, REPLY_SERIAL, RETURN, Connection, Message, split)

ROWS = ["lamp", "fan", "heater"]
ROOT = "/org/toggled"
ROW = "org.toggled.Row1"
SWITCHES = "org.toggled.Switches1"
MANAGER = "org.toggled.Manager1"


def require(condition, what):
    if not condition:
        sys.exit(f"expected {what}")


def answers(bus, serials):
    """The answers to these calls; each comes once."""
    wanted, found = set(serials), {}
    while wanted:
        message = bus.receive()
        require(message is not None, "the bus to keep the connection")
        serial = message.fields.get(REPLY_SERIAL)
        if message.kind in (RETURN, ERROR) and serial in serials:
            require(serial in wanted, "one answer to a call")
            wanted.discard(serial)
            found[serial] = message
    return found


def garbage(address):
    message = Message(
        CALL, {PATH: f"{ROOT}/rows/lamp", INTERFACE: ROW, MEMBER: "SetOn",
               DESTINATION: "org.toggled"}, "b", [True], serial=2).encode()
    generator = random.Random(1)
    samples = [b"", b"\0" * 16, b"\xff" * 64, b"l\1\0\1" + b"\xff" * 12, b"GET / HTTP/1.0\r\n\r\n",
               bytes(generator.randrange(256) for _ in range(4096))]
    samples += [message[:count] for count in range(0, len(message), 5)]
    for _ in range(200):
        changed = bytearray(message)
        for _ in range(generator.randint(1, 4)):
            changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
        samples.append(bytes(changed))
    for sample in samples:
        bus = Connection(address)
        try:
            bus.socket.sendall(sample)
        except ConnectionError:
            pass
        bus.socket.close()


def flood(address):
    bus = Connection(address)
    kinds = [
        (f"{ROOT}/rows/lamp", PROPERTIES, "Get", "ss", [ROW, "IsOn"]),
        (f"{ROOT}/rows/lamp", PROPERTIES, "GetAll", "s", [ROW]),
        (ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", []),
        (ROOT, "org.freedesktop.DBus.Introspectable", "Introspect", "", []),
        (f"{ROOT}/rows/lamp", ROW, "Toggle", "", []),
        (f"{ROOT}/rows/fan", ROW, "SetOn", "b", [True]),
        (f"{ROOT}/rows/none", ROW, "SetOn", "b", [True]),
    ]
    serials = [bus.call("org.toggled", *kinds[index % len(kinds)]) for index in range(10_000)]
    print("sent", flush=True)
    sys.stdin.readline()
    found = answers(bus, serials)
    for index, serial in enumerate(serials):
        name = found[serial].fields.get(ERROR_NAME, "")
        if index % len(kinds) < 4:
            require(not name, f"an answer, not {name}")
        elif index % len(kinds) == 6:
            require(name == BUS + ".Error.UnknownObject", f"UnknownObject, not {name}")
        else:
            require(not name or name.endswith((".LimitsExceeded", ".Superseded")), f"not {name}")


def large(address):
    text = "x" * 30_000_000
    calls = [
        (f"{ROOT}/rows/lamp", ROW, "SetOn", "s", [text]),
        (f"{ROOT}/rows/lamp", ROW, "Hold", "bss", [True, text, text]),
        (f"{ROOT}/rows/lamp", PROPERTIES, "Get", "ss", [ROW, text]),
        (f"{ROOT}/rows/lamp", PROPERTIES, "Get", "ss", [text, "IsOn"]),
        (f"{ROOT}/rows/lamp", PROPERTIES, "Set", "ssv", [ROW, "IsOn", ("s", text)]),
        ("/org/freedesktop/LogControl1", PROPERTIES, "Set", "ssv",
         ["org.freedesktop.LogControl1", "LogLevel", ("s", text)]),
        (ROOT, MANAGER, "Apply", "a{sb}", [{text: True}]),
        (ROOT, MANAGER, "Apply", "a{sb}", [{f"row{index}": True for index in range(50_000)}]),
        (f"{ROOT}/rows/lamp", ROW, "SetOn", "as", [["y" * 1000] * 20_000]),
        (f"{ROOT}/rows/lamp", PROPERTIES, "Set", "ssv",
         [ROW, "IsOn", nested("v", 50)]),
        ("/" + "x" * 1_000_000, ROW, "Toggle", "", []),
    ]
    bus = Connection(address)
    for call in calls:
        serial = bus.call("org.toggled", *call)
        message = answers(bus, [serial])[serial]
        name = message.fields.get(ERROR_NAME, "none")
        require(call[2] == "Apply" or message.kind == ERROR, f"an error for {call[2]}, not {name}")
        # What was wrong is named, and not thirty million characters of it.
        if message.kind == ERROR:
            require(len(message.body[0]) < 10_000, f"a short text for {call[2]}, not "
                    f"{len(message.body[0])} characters")


def nested(kind, depth):
    value = ("b", True)
    for _ in range(depth):
        value = (kind, value)
    return value


class Generator:
    """Random calls; the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        rows = [f"{ROOT}/rows/{row}" for row in ROWS]
        self.paths = rows * 3 + [ROOT, "/", "/org", f"{ROOT}/rows", f"{ROOT}/sections/other",
                                 "/org/freedesktop/LogControl1", f"{ROOT}/rows/lamp/below"]
        self.interfaces = [ROW, ROW, SWITCHES, MANAGER, "org.toggled.Section1", PROPERTIES,
                           PROPERTIES, "org.freedesktop.DBus.Introspectable",
                           "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Peer",
                           "org.freedesktop.LogControl1", "a.b", ""]
        self.members = ["SetOn", "Toggle", "Reset", "Refresh", "Hold", "Release", "Reload", "Apply",
                        "Get", "Set", "GetAll", "Introspect", "GetManagedObjects", "Ping",
                        "GetMachineId", "PropertiesChanged", "x"]
        self.words = ROWS + [ROW, SWITCHES, MANAGER, PROPERTIES, "IsOn", "State", "Rows", "Id",
                             "LogLevel", "info", "", "on", "é", "\u202e", "a" * 300, "\n\x1b[2J"]

    def signature(self, depth=0):
        if depth > 3 or self.random.random() < 0.7:
            return self.random.choice("ybnqiuxtdsogv")
        kind = self.random.randrange(3)
        if kind == 0:
            return "a" + self.signature(depth + 1)
        if kind == 1:
            return "a{" + self.random.choice("yubso") + self.signature(depth + 1) + "}"
        parts = [self.signature(depth + 1) for _ in range(self.random.randint(1, 3))]
        return "(" + "".join(parts) + ")"

    def value(self, kind, depth=0):
        first = kind[0]
        ranges = {"y": 8, "q": 16, "u": 32, "t": 64}
        if first in ranges:
            return self.random.getrandbits(ranges[first])
        if first in "nix":
            size = {"n": 16, "i": 32, "x": 64}[first]
            return self.random.getrandbits(size) - (1 << (size - 1))
        if first == "b":
            return self.random.choice([True, False])
        if first == "d":
            return self.random.choice([0.0, -1.5, float("inf"), float("nan")])
        if first == "s":
            return self.random.choice(self.words)
        if first == "o":
            return self.random.choice(self.paths)
        if first == "g":
            return self.random.choice(["", "s", "a{sv}", "(ii)"])
        if first == "v":
            inner = self.signature(3) if depth < 3 else "b"
            return (inner, self.value(inner, depth + 1))
        if kind.startswith("a{"):
            keys = {self.value(kind[2]) for _ in range(self.random.randrange(4))}
            return {key: self.value(kind[3:-1], depth + 1) for key in keys}
        if first == "a":
            return [self.value(kind[1:], depth + 1) for _ in range(self.random.randrange(4))]
        return tuple(self.value(part, depth + 1) for part in split(kind[1:-1]))

    def call(self):
        member = self.random.choice(self.members)
        usual = {"SetOn": "b", "Get": "ss", "GetAll": "s", "Set": "ssv", "Apply": "a{sb}",
                 "Hold": "bss", "Release": "u"}.get(member, "")
        if self.random.random() < 0.4:
            usual = "".join(self.signature() for _ in range(self.random.randrange(4)))
        body = [self.value(part) for part in split(usual)]
        flags = self.random.choice([0, 0, 0, 1, 2, 4, 7])
        return (self.random.choice(self.paths), self.random.choice(self.interfaces), member, usual,
                body, flags)


def fuzz(address, seed):
    generator = Generator(int(seed))
    bus = Connection(address)
    for _ in range(60):
        serials = []
        for _ in range(50):
            path, interface, member, signature, body, flags = generator.call()
            serial = bus.call("org.toggled", path, interface, member, signature, body, flags)
            if not flags & NO_REPLY:
                serials.append(serial)
        answers(bus, serials)
    for row in ROWS:
        # The newest wish: flips that nobody waits for are over after it.
        bus.ask("org.toggled", f"{ROOT}/rows/{row}", ROW, "SetOn", "b", [True])
        own = bus.ask("org.toggled", f"{ROOT}/rows/{row}", PROPERTIES, "Get", "ss", [ROW, "IsOn"])
        board = bus.ask("org.toggled", ROOT, PROPERTIES, "Get", "ss", [SWITCHES, row])
        require(own == board, f"{row} to be on the board what it is: {own}, {board}")


def leave(address):
    for index in range(200):
        bus = Connection(address)
        row = ROWS[index % len(ROWS)]
        bus.call("org.toggled", f"{ROOT}/rows/{row}", ROW, "Toggle")
        bus.call("org.toggled", f"{ROOT}/rows/{row}", ROW, "Refresh")
        bus.socket.close()


{"garbage": garbage, "flood": flood, "large": large, "fuzz": fuzz, "leave": leave}[sys.argv[2]](
    sys.argv[1], *sys.argv[3:])
