# SPDX-License-Identifier: MIT
"""A desktop's authentication agent that runs a command: polkit_agent.py dismiss|wait COMMAND…

Says "asked" for each question that the command leads to, and dismisses it, or leaves it open and
says "cancelled" when polkit takes it back. Says "exit N" when the command has ended.
"""

import subprocess
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

AGENT = "org.freedesktop.PolicyKit1.AuthenticationAgent"
PATH = "/agent"


class Cancelled(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.PolicyKit1.Error.Cancelled"


class Agent(dbus.service.Object):
    """Asks nobody."""

    waiting = None

    @dbus.service.method(
        AGENT, in_signature="sssa{ss}sa(sa{sv})", async_callbacks=("done", "failed")
    )
    def BeginAuthentication(
        self, action, message, icon, details, cookie, identities, done, failed
    ):
        print("asked", message, flush=True)
        if sys.argv[1] == "wait":
            self.waiting = failed
        else:
            failed(Cancelled("dismissed"))

    @dbus.service.method(AGENT, in_signature="s")
    def CancelAuthentication(self, cookie):
        print("cancelled", flush=True)
        self.waiting(Cancelled("taken back"))


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
agent = Agent(bus, PATH)
# The command begins when polkit knows whom to ask for it.
command = subprocess.Popen(
    ["sh", "-c", 'read go; exec "$@" 2>&1', "sh"] + sys.argv[2:], stdin=subprocess.PIPE
)
with open(f"/proc/{command.pid}/stat") as stat:
    start = int(stat.read().rpartition(")")[2].split()[19])
subject = {
    "pid": dbus.UInt32(command.pid, variant_level=1),
    "start-time": dbus.UInt64(start, variant_level=1),
}
authority = dbus.Interface(
    bus.get_object("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority"),
    "org.freedesktop.PolicyKit1.Authority",
)
authority.RegisterAuthenticationAgent(("unix-process", subject), "C", PATH)
command.stdin.write(b"go\n")
command.stdin.close()


def ended(pid, status):
    print("exit", status >> 8, flush=True)
    if sys.argv[1] == "dismiss":
        loop.quit()


loop = GLib.MainLoop()
GLib.child_watch_add(GLib.PRIORITY_DEFAULT, command.pid, ended)
loop.run()
