# SPDX-License-Identifier: MIT
"""Something that has taken polkit's name: polkit_impostor.py ADDRESS

Checks are answered as the last line of input says; writes `ready` once it does so:
  body SIGNATURE VALUES  with such a reply; VALUES are a list in Python
  error NAME COUNT       with an error, whose text repeats so often what no terminal should see
  ask                    it takes a password; a question stays open, and `asked` is written
Writes `gone` when somebody who is asked has left the bus, which changes nothing. `allow` says yes to
the questions that are open, and `allowed` is written once the bus has delivered that.
"""

import os
import select
import sys

from backend_wire import BUS, CALL, SIGNAL, Connection

ASKING = 1


class Impostor:
    def __init__(self, address):
        self.bus = Connection(address)
        self.bus.own("org.freedesktop.PolicyKit1")
        self.bus.match(f"type='signal',sender='{BUS}',member='NameOwnerChanged'")
        self.way = ["body", "", "[]"]
        self.questions = []

    def receive(self, call):
        if self.way[0] == "body":
            self.bus.answer(call, self.way[1], eval(self.way[2]))
        elif self.way[0] == "error":
            self.bus.refuse(call, self.way[1], "\x1b[2Jno\n" * int(self.way[2]))
        elif call.body[3] & ASKING:
            self.questions.append(call)
            print("asked", flush=True)
        else:
            self.bus.answer(call, "(bba{ss})", [(False, True, {})])

    def take(self, signal):
        name, _, owner = signal.body
        if not owner and any(call.body[0][1]["name"][1] == name for call in self.questions):
            print("gone", flush=True)

    def obey(self, line):
        if line == "allow":
            for call in self.questions:
                self.bus.answer(call, "(bba{ss})", [(True, False, {})])
            self.questions = []
            self.bus.ask(BUS, "/org/freedesktop/DBus", BUS, "GetId")
            print("allowed", flush=True)
        else:
            self.way = line.split(" ", 2)
            print("ready", flush=True)

    def serve(self):
        while True:
            while (message := self.bus.receive(blocking=False)) is not None:
                if message.kind == CALL:
                    self.receive(message)
                elif message.kind == SIGNAL and message.member == "NameOwnerChanged":
                    self.take(message)
            ready = select.select([self.bus, 0], [], [])[0]
            if self.bus in ready and not self.bus.fill():
                return
            if 0 in ready:
                lines = os.read(0, 65536).decode().splitlines()
                if not lines:
                    return
                for line in lines:
                    self.obey(line)


Impostor(sys.argv[1]).serve()
