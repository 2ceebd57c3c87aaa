# SPDX-License-Identifier: MIT
"""Programs of another user that has a place on the bus: attacker.py ADDRESS ATTACK.

  signals      signals in the name of the bus, of logind, of systemd, of dconf and of the service of
               backend_service.py: to everyone, and to the daemon alone
  answers      an answer to every call that the daemon may have under way
  local        a message in the name of libdbus itself, which the bus hangs up for
  burst COUNT  so many calls for all that there is. Writes `sent` once the bus has taken them, and
               reads the answers after a line of input; each comes once
  crowd COUNT  16 flips of the row `mute` on each of so many connections, of which none is answered.
               Writes `full` once the daemon has them all, and leaves at the end of the input
  descriptors  calls that come with open files
  hoard WHAT COUNT
               as `crowd`, and each call comes with 16 open files (`files`), or is an Apply that
               names 16 KB of rows that there are none of (`ids`)
  flood COUNT  calls with 16 open files each, on so many connections and without end. Writes `going`
               once the first are sent
"""

import array
import errno
import os
import select
import socket
import struct
import sys

from backend_wire import (BUS, CALL, DESTINATION, INTERFACE, MEMBER, NO_REPLY, PATH, PROPERTIES,
                          REPLY_SERIAL, RETURN, SENDER, SIGNAL, UNIX_FDS, Connection, Message)

ROOT = "/org/toggled"
ROW = "org.toggled.Row1"
RADIO = "org.example.Radio1"
SYSTEMD = "org.freedesktop.systemd1"


def owner(bus, name):
    return bus.ask(BUS, "/org/freedesktop/DBus", BUS, "GetNameOwner", "s", [name])[0]


def settle(bus):
    """Returns once the daemon has handled what was sent before."""
    bus.ask("org.toggled", ROOT, PROPERTIES, "GetAll", "s", ["org.toggled.Manager1"])


def signals(address):
    bus = Connection(address)
    daemon = owner(bus, "org.toggled")
    service = owner(bus, "org.example.Radio")
    on = {"Powered": ("b", True)}
    forged = [
        (service, "/radio", PROPERTIES, "PropertiesChanged", "sa{sv}as", [RADIO, on, []]),
        (service, "/radio", PROPERTIES, "PropertiesChanged", "sa{sv}as", [RADIO, {}, ["Powered"]]),
        (service, "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}",
         ["/radio", {RADIO: on}]),
        (service, "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas",
         ["/radio", [RADIO]]),
        (BUS, "/org/freedesktop/DBus", BUS, "NameOwnerChanged", "sss",
         ["org.example.Radio", service, ""]),
        (BUS, "/org/freedesktop/DBus", BUS, "NameOwnerChanged", "sss",
         ["org.example.Radio", service, bus.name]),
        (BUS, "/org/freedesktop/DBus", BUS, "NameLost", "s", ["org.toggled"]),
        ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
         "PrepareForSleep", "b", [False]),
        (SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD + ".Manager", "Reloading", "b", [False]),
        (SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD + ".Manager", "UnitFilesChanged", "", []),
        ("ca.desrt.dconf", "/ca/desrt/dconf/Writer/user", "ca.desrt.dconf.Writer", "Notify", "sass",
         ["/", [""], "tag"]),
    ]
    for sender, path, interface, member, signature, body in forged:
        for destination in [None, daemon]:
            # The bus puts the true sender in the place of what is said here.
            fields = {PATH: path, INTERFACE: interface, MEMBER: member, SENDER: sender}
            if destination:
                fields[DESTINATION] = destination
            bus.send(Message(SIGNAL, fields, signature, body))
    settle(bus)


def answers(address):
    bus = Connection(address)
    daemon = owner(bus, "org.toggled")
    for serial in range(1, 2000):
        bus.send(Message(RETURN, {REPLY_SERIAL: serial, DESTINATION: daemon}, "a{sv}",
                         [{"Powered": ("b", True)}]))
    settle(bus)


def local(address):
    bus = Connection(address)
    name = "org.freedesktop.DBus.Local"
    bus.send(Message(SIGNAL, {
        PATH: "/org/freedesktop/DBus/Local", INTERFACE: name, MEMBER: "Disconnected",
        DESTINATION: owner(bus, "org.toggled")}))
    while bus.receive() is not None:
        pass


def burst(address, count):
    bus = Connection(address)
    serials = {bus.call("org.toggled", ROOT, "org.freedesktop.DBus.ObjectManager",
                        "GetManagedObjects") for _ in range(int(count))}
    bus.ask(BUS, "/org/freedesktop/DBus", BUS, "GetId")
    print("sent", flush=True)
    sys.stdin.readline()
    while serials:
        serial = bus.receive().fields.get(REPLY_SERIAL)
        if serial:
            serials.remove(serial)


def crowd(address, count):
    connections = [Connection(address) for _ in range(int(count))]
    for bus in connections:
        for _ in range(16):
            bus.call("org.toggled", ROOT + "/rows/mute", ROW, "Refresh")
    for bus in connections:
        settle(bus)
    print("full", flush=True)
    sys.stdin.read()


def hoard(address, what, count):
    connections = [Connection(address, descriptors=True) for _ in range(int(count))]
    fields, body, files = {DESTINATION: "org.toggled"}, [], []
    if what == "files":
        fields |= {PATH: ROOT + "/rows/mute", INTERFACE: ROW, MEMBER: "Refresh", UNIX_FDS: 16}
        files = [os.open("/dev/null", os.O_RDONLY)] * 16
    else:
        fields |= {PATH: ROOT, INTERFACE: "org.toggled.Manager1", MEMBER: "Apply"}
        body = [{"mute": True} | {"%01023d" % number: True for number in range(16)}]
    message = Message(CALL, fields, "a{sb}" if body else "", body)
    data = bytearray(message.encode())
    for bus in connections:
        for serial in range(1000, 1016):
            struct.pack_into("<I", data, 8, serial)
            bus.socket.sendmsg([data], [
                (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
        settle(bus)
    print("full", flush=True)
    sys.stdin.read()


def flood(address, count):
    connections = [Connection(address, descriptors=True) for _ in range(int(count))]
    files = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 16)
    message = Message(CALL, {
        DESTINATION: "org.toggled", PATH: ROOT, INTERFACE: "org.toggled.Manager1", MEMBER: "None",
        UNIX_FDS: 16}, flags=NO_REPLY, serial=1).encode()
    # What of a message the bus has not taken yet.
    rest = {bus: b"" for bus in connections}
    poll = select.poll()
    by_number = {bus.socket.fileno(): bus for bus in connections}
    for bus in connections:
        bus.socket.setblocking(False)
        poll.register(bus.socket, select.POLLOUT)
    said = False
    while rest:
        for number, _ in poll.poll():
            bus = by_number[number]
            try:
                if rest[bus]:
                    rest[bus] = rest[bus][bus.socket.send(rest[bus]):]
                else:
                    rest[bus] = message[bus.socket.sendmsg([message], [
                        (socket.SOL_SOCKET, socket.SCM_RIGHTS, files)]):]
            except BlockingIOError:
                pass
            except OSError as error:
                # More are under way in the kernel than a user may have there; or the bus hung up.
                if error.errno != errno.ETOOMANYREFS:
                    poll.unregister(bus.socket)
                    del rest[bus]
        if not said:
            print("going", flush=True)
            said = True


def descriptors(address):
    bus = Connection(address, descriptors=True)
    for turn in range(300):
        file = os.open("/dev/null", os.O_RDONLY)
        kinds = [
            (ROOT + "/rows/lamp", ROW, "SetOn", "h", [0]),
            (ROOT + "/rows/lamp", PROPERTIES, "Set", "ssv", [ROW, "IsOn", ("h", 0)]),
            (ROOT + "/rows/lamp", ROW, "Toggle", "", []),
            ("/nowhere", "a.b", "C", "ah", [[0, 1, 2]]),
        ]
        path, interface, member, signature, body = kinds[turn % len(kinds)]
        bus.serial += 1
        message = Message(CALL, {PATH: path, INTERFACE: interface, MEMBER: member,
                                 DESTINATION: "org.toggled", UNIX_FDS: 3}, signature, body,
                          serial=bus.serial)
        bus.socket.sendmsg([message.encode()], [
            (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file] * 3))])
        os.close(file)
        while bus.receive().fields.get(REPLY_SERIAL) != bus.serial:
            pass


{"signals": signals, "answers": answers, "local": local, "burst": burst, "crowd": crowd,
 "descriptors": descriptors, "hoard": hoard, "flood": flood,
 }[sys.argv[2]](sys.argv[1], *sys.argv[3:])
