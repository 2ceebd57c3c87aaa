# SPDX-License-Identifier: MIT
"""A service that does as it is told: backend_service.py [ADDRESS] [FILE].

Commands come from FILE and then from standard input, a line each; values are JSON:
  own NAME | release NAME | quit
  property PATH INTERFACE NAME SIGNATURE VALUE     adds a property, without a signal
  change PATH INTERFACE NAME VALUE [value|invalidate|none]
  flap PATH INTERFACE NAME COUNT VALUE…            so many PropertiesChanged, the values in turn
  add PATH | remove PATH [quietly]                 with InterfacesAdded or InterfacesRemoved
  refuse PATH NAME TEXT                            an error for every Set of this object
  method MEMBER NAME INDEX                         a method whose argument INDEX sets property NAME
  signals value|invalidate|none                    what follows a Set
  answer MEMBER[/PROPERTY] HOW…                    how such calls are answered from now on:
    normal | never | hold | twice | ignore | badname | quit
    body SIGNATURE VALUES | error NAME TEXT [COUNT]   so often, then normally
  emit PATH SIGNATURE VALUES                       a PropertiesChanged of any shape
  free                                             answers what was held
  say TEXT                                         writes TEXT: what came before it is done
Each call that arrives is written as `call MEMBER PATH FLAGS BODY`.
"""

import json
import os
import select
import shlex
import sys

from backend_wire import BUS, CALL, PROPERTIES, Connection

MANAGER = "org.freedesktop.DBus.ObjectManager"
ERRORS = "org.freedesktop.DBus.Error."
NORMAL = ("normal",)


class Service:
    def __init__(self, address):
        self.bus = Connection(address)
        self.objects = {}
        self.hidden = set()
        self.methods = {}
        self.signals = "value"
        self.how = {}
        self.refusals = {}
        self.held = []

    def visible(self):
        return {path: {interface: dict(properties) for interface, properties in item.items()}
                for path, item in self.objects.items() if path not in self.hidden}

    # Commands

    def do(self, line):
        words = shlex.split(line, comments=True)
        if words:
            getattr(self, "do_" + words[0])(*words[1:])

    def do_own(self, name):
        self.bus.own(name)

    def do_release(self, name):
        self.bus.ask(BUS, "/org/freedesktop/DBus", BUS, "ReleaseName", "s", [name])

    def do_quit(self):
        sys.exit(0)

    def do_property(self, path, interface, name, signature, value):
        item = self.objects.setdefault(path, {}).setdefault(interface, {})
        item[name] = (signature, json.loads(value))

    def do_change(self, path, interface, name, value, how="value"):
        self.change(path, interface, name, json.loads(value), how)

    def do_flap(self, path, interface, name, count, *values):
        for index in range(int(count)):
            self.change(path, interface, name, json.loads(values[index % len(values)]), "value")

    def do_add(self, path):
        self.hidden.discard(path)
        self.bus.signal("/", MANAGER, "InterfacesAdded", "oa{sa{sv}}", [path, self.objects[path]])

    def do_remove(self, path, quietly=None):
        self.hidden.add(path)
        if not quietly:
            self.bus.signal("/", MANAGER, "InterfacesRemoved", "oas",
                            [path, list(self.objects[path])])

    def do_refuse(self, path, name, text):
        self.refusals[path] = (name, text)

    def do_emit(self, path, signature, values):
        self.bus.signal(path, PROPERTIES, "PropertiesChanged", signature, json.loads(values))

    def do_method(self, member, name, index):
        self.methods[member] = (name, int(index))

    def do_signals(self, how):
        self.signals = how

    def do_answer(self, what, *how):
        self.how[what] = how

    def do_free(self):
        held, self.held = self.held, []
        for call in held:
            self.answer(call)

    def do_say(self, text):
        print(text, flush=True)

    def change(self, path, interface, name, value, how):
        item = self.objects[path][interface]
        item[name] = (item[name][0], value)
        if how == "value":
            self.tell(path, interface, {name: item[name]}, [])
        elif how == "invalidate":
            self.tell(path, interface, {}, [name])

    def tell(self, path, interface, changed, invalidated):
        self.bus.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as",
                        [interface, changed, invalidated])

    # Calls

    def receive(self, call):
        print("call", call.member, call.path, call.flags, json.dumps(call.body), flush=True)
        keys = [call.member]
        if len(call.body) > 1:
            keys.insert(0, f"{call.member}/{call.body[1]}")
        key = next((key for key in keys if self.how.get(key, NORMAL) != NORMAL), call.member)
        how = self.how.get(key, NORMAL)
        if how[0] == "normal":
            self.answer(call)
        elif how[0] == "hold":
            self.held.append(call)
        elif how[0] == "twice":
            self.answer(call)
            self.answer(call)
        elif how[0] == "ignore":
            self.bus.answer(call)
        elif how[0] == "badname":
            self.bus.refuse(call, "no good", "an error name that is not valid")
        elif how[0] == "quit":
            sys.exit(1)
        elif how[0] == "body":
            self.bus.answer(call, how[1], json.loads(how[2]))
        elif how[0] == "error":
            self.bus.refuse(call, how[1], how[2])
            if len(how) > 3:
                left = int(how[3]) - 1
                self.how[key] = (*how[:3], left) if left else NORMAL

    def answer(self, call):
        objects = self.visible()
        if call.member == "GetManagedObjects":
            return self.bus.answer(call, "a{oa{sa{sv}}}", [objects])
        if call.path not in objects:
            return self.bus.refuse(call, ERRORS + "UnknownObject", f"no object {call.path}")
        if call.member == "GetAll":
            return self.bus.answer(call, "a{sv}", [objects[call.path].get(call.body[0], {})])
        if call.member in ("Get", "Set"):
            interface, name = call.body[:2]
            if name not in objects[call.path].get(interface, {}):
                return self.bus.refuse(call, ERRORS + "UnknownProperty", f"no property {name}")
            if call.member == "Get":
                return self.bus.answer(call, "v", [objects[call.path][interface][name]])
            if call.path in self.refusals:
                return self.bus.refuse(call, *self.refusals[call.path])
            self.change(call.path, interface, name, call.body[2][1], self.signals)
            return self.bus.answer(call)
        if call.member in self.methods:
            name, index = self.methods[call.member]
            self.change(call.path, call.interface, name, call.body[index], self.signals)
            return self.bus.answer(call)
        return self.bus.refuse(call, ERRORS + "UnknownMethod", f"no method {call.member}")

    def serve(self):
        commands = b""
        sources = [self.bus, 0]
        while True:
            while (message := self.bus.receive(blocking=False)) is not None:
                if message.kind == CALL:
                    self.receive(message)
            ready = select.select(sources, [], [])[0]
            if self.bus in ready and not self.bus.fill():
                return
            if 0 in ready:
                data = os.read(0, 65536)
                commands += data
                if not data:
                    sources.remove(0)
                *lines, commands = commands.split(b"\n")
                for line in lines:
                    self.do(line.decode())


def main():
    arguments = sys.argv[1:]
    address = arguments.pop(0) if arguments else os.environ["DBUS_STARTER_ADDRESS"]
    if address == "starter":
        address = os.environ["DBUS_STARTER_ADDRESS"]
    service = Service(address)
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            for line in file:
                service.do(line)
    service.serve()


main()
