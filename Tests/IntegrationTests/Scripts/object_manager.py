# SPDX-License-Identifier: MIT
"""A client of org.toggled through GLib's ObjectManager, told what to do on standard input.

Usage: object_manager.py ADDRESS

objects          all objects, each with its interfaces
get ROW NAME     a property, from the client's cache
flip ROW         SetOn(true), through the proxy
changes ROW      waits until the cache says IsOn has changed; the names that changed so far
next             waits for the next object that was added or removed
"""

import sys

from gi.repository import Gio, GLib

loop = GLib.MainContext.default()
events = []
changes = {}


def wait_until(condition):
    expired = []
    GLib.timeout_add_seconds(30, lambda: expired.append(True))
    while not condition():
        if expired:
            raise TimeoutError
        loop.iteration(True)


def proxy(row):
    return manager.get_interface(f"/org/toggled/rows/{row}", "org.toggled.Row1")


def on_changed(_manager, _object, interface, changed, invalidated):
    row = interface.get_object_path().rsplit("/", 1)[1]
    names = changes.setdefault(row, set())
    names.update(changed.keys())
    names.update(invalidated)


def obey(command, *words):
    if command == "objects":
        lines = []
        for found in manager.get_objects():
            names = ",".join(sorted(i.get_info().name if i.get_info() else i.get_interface_name()
                                    for i in found.get_interfaces()))
            lines.append(f"{found.get_object_path()}={names}")
        return " ".join(sorted(lines))
    if command == "get":
        return proxy(words[0]).get_cached_property(words[1]).print_(False)
    if command == "flip":
        result = proxy(words[0]).call_sync(
            "SetOn", GLib.Variant("(b)", (True,)), Gio.DBusCallFlags.NONE, 10000)
        # The signals came before the reply; they are delivered by the loop.
        wait_until(lambda: "IsOn" in changes.get(words[0], ()))
        return result.print_(False)
    if command == "changes":
        wait_until(lambda: "IsOn" in changes.get(words[0], ()))
        return " ".join(sorted(changes[words[0]]))
    if command == "next":
        wait_until(lambda: events)
        return events.pop(0)
    raise ValueError(command)


bus = Gio.DBusConnection.new_for_address_sync(
    sys.argv[1],
    Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
)
manager = Gio.DBusObjectManagerClient.new_sync(
    bus, Gio.DBusObjectManagerClientFlags.NONE, "org.toggled", "/org/toggled")
manager.connect("object-added", lambda _, o: events.append(f"added {o.get_object_path()}"))
manager.connect("object-removed", lambda _, o: events.append(f"removed {o.get_object_path()}"))
manager.connect("interface-proxy-properties-changed", on_changed)

for line in sys.stdin:
    print(obey(*line.split()), flush=True)
