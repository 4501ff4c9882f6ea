# SPDX-License-Identifier: Apache-2.0
"""Simulates NetworkManager on a test's own bus: the property "Metered", read from a file.

Prints "ready" when the simulation accepts queries, and "query" for each query.
"""
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.NetworkManager"


class Manager(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        print("query", flush=True)
        if (interface, name) != (NAME, "Metered"):
            raise dbus.exceptions.DBusException("no such property")
        with open(sys.argv[2], encoding="ascii") as file:
            text = file.read().strip()
        return dbus.UInt32(int(text)) if text.isdigit() else dbus.String(text)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
name = dbus.service.BusName(NAME, bus)
manager = Manager(bus, "/org/freedesktop/NetworkManager")
print("ready", flush=True)
GLib.MainLoop().run()
