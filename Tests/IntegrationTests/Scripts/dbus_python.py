# SPDX-License-Identifier: MIT
"""A client of org.toggled on python3-dbus, which reads signatures from the introspection.

Usage: dbus_python.py ADDRESS
"""

import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
loop = GLib.MainLoop()
signals = []


def on_changed(interface, changed, _invalidated):
    if "IsOn" in changed:
        signals.append(changed["IsOn"])
        loop.quit()


def attempt(call):
    try:
        call()
        print("no error")
    except dbus.DBusException as error:
        print("error", error.get_dbus_name())


lamp = bus.get_object("org.toggled", "/org/toggled/rows/lamp")
row = dbus.Interface(lamp, "org.toggled.Row1")
properties = dbus.Interface(lamp, dbus.PROPERTIES_IFACE)
properties.connect_to_signal("PropertiesChanged", on_changed)

titles = properties.Get("org.toggled.Row1", "Titles")
print("Title", titles[""], titles["es"])
print("SetOn", bool(row.SetOn(True)))
GLib.timeout_add_seconds(20, loop.quit)
loop.run()
print("signal IsOn", *map(bool, signals))
print("State", properties.Get("org.toggled.Row1", "State"))
properties.Set("org.toggled.Row1", "IsOn", False)
print("Set", bool(properties.Get("org.toggled.Row1", "IsOn")))

root = bus.get_object("org.toggled", "/org/toggled")
board = root.GetAll("org.toggled.Switches1", dbus_interface=dbus.PROPERTIES_IFACE)
print("Switches1", {str(name): bool(value) for name, value in board.items()})
objects = root.GetManagedObjects(dbus_interface="org.freedesktop.DBus.ObjectManager")
print("objects", *sorted(objects))

attempt(lambda: properties.Set("org.toggled.Row1", "Title", "Other"))
attempt(lambda: lamp.Explode(dbus_interface="org.toggled.Row1"))
attempt(lambda: row.Hold(True, "a film", "org.example.Player"))
