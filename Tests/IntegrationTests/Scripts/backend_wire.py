# SPDX-License-Identifier: MIT
"""The D-Bus wire protocol by hand: what a library would refuse to send can be sent.

Values are plain Python ones beside a signature; a variant is a pair (signature, value).
"""

import os
import socket
import struct

CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NO_REPLY, NO_AUTO_START, INTERACTIVE = 1, 2, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE, \
    UNIX_FDS = range(1, 10)
PROPERTIES = "org.freedesktop.DBus.Properties"
BUS = "org.freedesktop.DBus"

NUMBERS = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "h": "I", "x": "q", "t": "Q", "d": "d", "b": "I"}
ALIGNMENT = {"y": 1, "n": 2, "q": 2, "i": 4, "u": 4, "b": 4, "x": 8, "t": 8, "d": 8, "s": 4,
             "o": 4, "g": 1, "v": 1, "a": 4, "(": 8, "{": 8, "h": 4}


def split(signature):
    """The single complete types of a signature."""
    types, start, index = [], 0, 0
    while index < len(signature):
        depth = 0
        while True:
            char = signature[index]
            depth += (char in "({") - (char in ")}")
            index += 1
            if depth == 0 and char != "a":
                break
        types.append(signature[start:index])
        start = index
    return types


class Writer:
    def __init__(self):
        self.data = bytearray()

    def pad(self, size):
        self.data.extend(bytes(-len(self.data) % size))

    def write(self, kind, value):
        first = kind[0]
        self.pad(ALIGNMENT[first])
        if first in NUMBERS:
            self.data += struct.pack("<" + NUMBERS[first], value)
        elif first in "so":
            text = value if isinstance(value, bytes) else value.encode()
            self.data += struct.pack("<I", len(text)) + text + b"\0"
        elif first == "g":
            self.data += bytes([len(value)]) + value.encode() + b"\0"
        elif first == "v":
            self.write("g", value[0])
            self.write(value[0], value[1])
        elif first == "a":
            place = len(self.data)
            self.data += bytes(4)
            self.pad(ALIGNMENT[kind[1]])
            start = len(self.data)
            for item in value.items() if isinstance(value, dict) else value:
                self.write(kind[1:], item)
            struct.pack_into("<I", self.data, place, len(self.data) - start)
        else:
            for part, item in zip(split(kind[1:-1]), value):
                self.write(part, item)


class Reader:
    def __init__(self, data, offset=0):
        self.data, self.offset = data, offset

    def pad(self, size):
        self.offset += -self.offset % size

    def take(self, form):
        value = struct.unpack_from("<" + form, self.data, self.offset)[0]
        self.offset += struct.calcsize(form)
        return value

    def text(self, count):
        value = bytes(self.data[self.offset:self.offset + count]).decode()
        self.offset += count + 1
        return value

    def read(self, kind):
        first = kind[0]
        self.pad(ALIGNMENT[first])
        if first in NUMBERS:
            value = self.take(NUMBERS[first])
            return bool(value) if first == "b" else value
        if first in "so":
            return self.text(self.take("I"))
        if first == "g":
            return self.text(self.take("B"))
        if first == "v":
            inner = self.read("g")
            return (inner, self.read(inner))
        if first == "a":
            count = self.take("I")
            self.pad(ALIGNMENT[kind[1]])
            end, items = self.offset + count, []
            while self.offset < end:
                items.append(self.read(kind[1:]))
            return dict(items) if kind[1] == "{" else items
        return tuple(self.read(part) for part in split(kind[1:-1]))


FIELDS = {PATH: "o", INTERFACE: "s", MEMBER: "s", ERROR_NAME: "s", REPLY_SERIAL: "u",
          DESTINATION: "s", SENDER: "s", SIGNATURE: "g", UNIX_FDS: "u"}


class Message:
    def __init__(self, kind, fields, signature="", body=(), flags=0, serial=0):
        self.kind, self.fields, self.flags, self.serial = kind, dict(fields), flags, serial
        self.signature, self.body = signature, body

    def encode(self):
        body = Writer()
        for part, value in zip(split(self.signature), self.body):
            body.write(part, value)
        fields = dict(self.fields)
        if self.signature:
            fields[SIGNATURE] = self.signature
        header = Writer()
        header.data += struct.pack(
            "<cBBBII", b"l", self.kind, self.flags, 1, len(body.data), self.serial)
        header.write("a(yv)", [(code, (FIELDS[code], value)) for code, value in fields.items()])
        header.pad(8)
        return bytes(header.data + body.data)

    path = property(lambda self: self.fields.get(PATH, ""))
    interface = property(lambda self: self.fields.get(INTERFACE, ""))
    member = property(lambda self: self.fields.get(MEMBER, ""))
    sender = property(lambda self: self.fields.get(SENDER, ""))


class Connection:
    """A connection to a bus at `unix:path=…`, over which descriptors go where that is asked for."""

    def __init__(self, address, hello=True, descriptors=False):
        path = dict(part.split("=", 1) for part in address.split(":", 1)[1].split(","))["path"]
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.buffer = bytearray()
        self.serial = 0
        self.waiting = []
        user = str(os.getuid()).encode().hex().encode()
        self.socket.sendall(b"\0AUTH EXTERNAL " + user + b"\r\n")
        self.await_line()
        if descriptors:
            self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
            self.await_line()
        self.socket.sendall(b"BEGIN\r\n")
        self.name = self.ask(BUS, "/org/freedesktop/DBus", BUS, "Hello")[0] if hello else None

    def await_line(self):
        while b"\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        self.buffer.clear()

    def send(self, message):
        """Sends a message and returns its serial."""
        self.serial += 1
        message.serial = self.serial
        self.socket.sendall(message.encode())
        return self.serial

    def call(self, destination, path, interface, member, signature="", body=(), flags=0):
        fields = {PATH: path, MEMBER: member}
        if interface:
            fields[INTERFACE] = interface
        if destination:
            fields[DESTINATION] = destination
        return self.send(Message(CALL, fields, signature, body, flags))

    def signal(self, path, interface, member, signature="", body=()):
        self.send(Message(SIGNAL, {PATH: path, INTERFACE: interface, MEMBER: member},
                          signature, body))

    def answer(self, call, signature="", body=()):
        self.send(Message(RETURN, {REPLY_SERIAL: call.serial, DESTINATION: call.sender},
                          signature, body))

    def refuse(self, call, name, text):
        self.send(Message(ERROR, {REPLY_SERIAL: call.serial, DESTINATION: call.sender,
                                  ERROR_NAME: name}, "s", [text]))

    def ask(self, destination, path, interface, member, signature="", body=()):
        """Calls and waits; other messages are kept for `receive`. An error is raised."""
        serial = self.call(destination, path, interface, member, signature, body)
        kept = []
        while True:
            message = self.receive()
            if message is None:
                raise EOFError("the bus closed the connection")
            if message.fields.get(REPLY_SERIAL) == serial:
                self.waiting = kept + self.waiting
                if message.kind == ERROR:
                    raise RuntimeError(f"{message.fields[ERROR_NAME]}: {message.body}")
                return message.body
            kept.append(message)

    def own(self, name):
        code = self.ask(BUS, "/org/freedesktop/DBus", BUS, "RequestName", "su", [name, 4])[0]
        if code not in (1, 4):
            raise RuntimeError(f"{name} is owned already")

    def match(self, rule):
        self.ask(BUS, "/org/freedesktop/DBus", BUS, "AddMatch", "s", [rule])

    def fileno(self):
        return self.socket.fileno()

    def receive(self, blocking=True):
        """The next message; None at the end, or when there is none and `blocking` is false."""
        if self.waiting:
            return self.waiting.pop(0)
        while True:
            message = self.parse()
            if message is not None or not blocking:
                return message
            if not self.fill():
                return None

    def fill(self):
        """Reads what has arrived; false at the end."""
        try:
            data = self.socket.recv(65536)
        except ConnectionError:
            return False
        self.buffer += data
        return bool(data)

    def parse(self):
        if len(self.buffer) < 16:
            return None
        _, kind, flags, _, size, serial = struct.unpack_from("<cBBBII", self.buffer)
        count = struct.unpack_from("<I", self.buffer, 12)[0]
        start = 16 + count + (-count % 8)
        if len(self.buffer) < start + size:
            return None
        fields = {code: value[1] for code, value in Reader(self.buffer, 12).read("a(yv)")}
        reader = Reader(bytes(self.buffer[start:start + size]))
        body = [reader.read(part) for part in split(fields.get(SIGNATURE, ""))]
        del self.buffer[:start + size]
        return Message(kind, fields, fields.get(SIGNATURE, ""), body, flags, serial)
