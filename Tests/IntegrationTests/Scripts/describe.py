# SPDX-License-Identifier: MIT
"""Writes what objects of org.toggled say of themselves, a line a member, as GLib reads it.

Usage: describe.py ADDRESS PATH...
"""

import sys

from gi.repository import Gio, GLib

EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
ACCESS = {
    Gio.DBusPropertyInfoFlags.READABLE: "read",
    Gio.DBusPropertyInfoFlags.WRITABLE: "write",
    Gio.DBusPropertyInfoFlags.READABLE | Gio.DBusPropertyInfoFlags.WRITABLE: "readwrite",
}


def signature(arguments):
    return "(" + "".join(argument.signature for argument in arguments or []) + ")"


def describe(interface):
    for method in interface.methods or []:
        yield f"method {method.name} {signature(method.in_args)} {signature(method.out_args)}"
    for signal in interface.signals or []:
        yield f"signal {signal.name} {signature(signal.args)}"
    for info in interface.properties or []:
        # The specification's default, where nothing is said.
        emits = Gio.DBusAnnotationInfo.lookup(info.annotations or [], EMITS) or "true"
        yield f"property {info.name} {info.signature} {ACCESS[info.flags]} {emits}"


def main(address, paths):
    bus = Gio.DBusConnection.new_for_address_sync(
        address,
        Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
        | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
    )
    lines = set()
    for path in paths:
        xml, = bus.call_sync(
            "org.toggled", path, "org.freedesktop.DBus.Introspectable", "Introspect", None,
            GLib.VariantType("(s)"), Gio.DBusCallFlags.NONE, 10000)
        for interface in Gio.DBusNodeInfo.new_for_xml(xml).interfaces or []:
            lines.update(f"{interface.name} {line}" for line in describe(interface))
    print("\n".join(sorted(lines)))


main(sys.argv[1], sys.argv[2:])
