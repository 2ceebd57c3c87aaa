# SPDX-License-Identifier: MIT
"""A client of the daemon: backend_client.py ADDRESS.

Commands come from standard input, a line each; values are JSON:
  call DESTINATION PATH INTERFACE MEMBER SIGNATURE VALUES FLAGS
  get PATH INTERFACE NAME
  await PATH INTERFACE NAME VALUE    is done once the property has the value
  trouble FILE                       is done once ConfigErrors has an entry for FILE; its text
  owned NAME                         is done once somebody owns the bus name
  leave                              closes the connection, whatever is unanswered
The Nth command is answered by `done N ok VALUE` or `done N error NAME TEXT`, in any order. `ready`
is written once no signal can be missed; signals below /org/toggled are written as
`signal MEMBER PATH BODY`.
"""

import json
import os
import select
import shlex
import sys

from backend_wire import (BUS, ERROR, ERROR_NAME, PROPERTIES, REPLY_SERIAL, RETURN, SIGNAL,
                          Connection)


class Client:
    def __init__(self, address):
        self.bus = Connection(address)
        self.bus.match("type='signal',path_namespace='/org/toggled'")
        self.bus.match(f"type='signal',sender='{BUS}',member='NameOwnerChanged'")
        self.count = 0
        self.calls = {}
        self.awaited = []
        self.arrivals = []
        self.troubles = []

    def done(self, number, *words):
        print("done", number, *words, flush=True)

    def do(self, line):
        words = shlex.split(line)
        number = self.count
        self.count += 1
        getattr(self, "do_" + words[0])(number, *words[1:])

    def do_call(self, number, destination, path, interface, member, signature, values, flags):
        serial = self.bus.call(
            destination, path, interface, member, signature, json.loads(values), int(flags))
        self.calls[serial] = lambda message: self.report(number, message)

    def report(self, number, message):
        if message.kind == ERROR:
            text = message.body[0] if message.body else ""
            self.done(number, "error", message.fields[ERROR_NAME], text)
        else:
            self.done(number, "ok", json.dumps(message.body))

    def do_get(self, number, path, interface, name):
        def report(message):
            if message.kind == ERROR:
                self.report(number, message)
            else:
                self.done(number, "ok", json.dumps(message.body[0][1]))

        serial = self.bus.call("org.toggled", path, PROPERTIES, "Get", "ss", [interface, name])
        self.calls[serial] = report

    def do_await(self, number, path, interface, name, value):
        wish = (number, path, interface, name, json.loads(value))
        self.awaited.append(wish)
        serial = self.bus.call("org.toggled", path, PROPERTIES, "Get", "ss", [interface, name])
        self.calls[serial] = lambda message: (
            message.kind == RETURN and self.see(path, interface, {name: message.body[0]}))

    def do_trouble(self, number, file):
        self.troubles.append((number, file))
        serial = self.bus.call("org.toggled", "/org/toggled", PROPERTIES, "Get", "ss",
                               ["org.toggled.Manager1", "ConfigErrors"])
        self.calls[serial] = lambda message: (
            message.kind == RETURN and self.find_trouble(message.body[0][1]))

    def find_trouble(self, errors):
        for number, file in list(self.troubles):
            texts = [text for name, _, text in errors if name.endswith("/" + file)]
            if texts:
                self.troubles.remove((number, file))
                self.done(number, "ok", json.dumps(texts[0]))

    def do_owned(self, number, name):
        self.arrivals.append((number, name))
        serial = self.bus.call(BUS, "/org/freedesktop/DBus", BUS, "NameHasOwner", "s", [name])
        self.calls[serial] = lambda message: message.body[0] and self.arrive(name)

    def do_leave(self, number):
        self.done(number, "ok", "null")
        sys.exit(0)

    def arrive(self, owned):
        for number, name in [item for item in self.arrivals if item[1] == owned]:
            self.arrivals.remove((number, name))
            self.done(number, "ok", "null")

    def see(self, path, interface, properties):
        for wish in list(self.awaited):
            number, wanted, owner, name, value = wish
            if (wanted, owner) == (path, interface) and properties.get(name, (0, None))[1] == value:
                self.awaited.remove(wish)
                self.done(number, "ok", json.dumps(value))

    def receive(self, message):
        if message.kind in (RETURN, ERROR):
            handler = self.calls.pop(message.fields.get(REPLY_SERIAL), None)
            if handler:
                handler(message)
        elif message.kind == SIGNAL and message.member == "NameOwnerChanged":
            if message.body[2]:
                self.arrive(message.body[0])
        elif message.kind == SIGNAL and message.path.startswith("/org/toggled"):
            print("signal", message.member, message.path, json.dumps(message.body), flush=True)
            if message.member == "PropertiesChanged":
                self.see(message.path, message.body[0], message.body[1])
                if "ConfigErrors" in message.body[1]:
                    self.find_trouble(message.body[1]["ConfigErrors"][1])
            elif message.member == "InterfacesAdded":
                for interface, properties in message.body[1].items():
                    self.see(message.body[0], interface, properties)

    def serve(self):
        print("ready", flush=True)
        commands = b""
        while True:
            while (message := self.bus.receive(blocking=False)) is not None:
                self.receive(message)
            ready = select.select([self.bus, 0], [], [])[0]
            if self.bus in ready and not self.bus.fill():
                return
            if 0 in ready:
                data = os.read(0, 65536)
                if not data:
                    return
                commands += data
                *lines, commands = commands.split(b"\n")
                for line in lines:
                    self.do(line.decode())


Client(sys.argv[1]).serve()
