// SPDX-License-Identifier: MIT

/// The tables of the contract: what other programs build on, so lines are only ever added.
enum Contract {
  /// `interface property name type access change`, `interface method name in out` and
  /// `interface signal name arguments`, as `Scripts/describe.py` writes what the daemon says.
  static let members = """
    org.freedesktop.DBus.Introspectable method Introspect () (s)
    org.freedesktop.DBus.ObjectManager method GetManagedObjects () (a{oa{sa{sv}}})
    org.freedesktop.DBus.ObjectManager signal InterfacesAdded (oa{sa{sv}})
    org.freedesktop.DBus.ObjectManager signal InterfacesRemoved (oas)
    org.freedesktop.DBus.Peer method GetMachineId () (s)
    org.freedesktop.DBus.Peer method Ping () ()
    org.freedesktop.DBus.Properties method Get (ss) (v)
    org.freedesktop.DBus.Properties method GetAll (s) (a{sv})
    org.freedesktop.DBus.Properties method Set (ssv) ()
    org.freedesktop.DBus.Properties signal PropertiesChanged (sa{sv}as)
    org.freedesktop.LogControl1 property LogLevel s readwrite false
    org.freedesktop.LogControl1 property LogTarget s readwrite false
    org.freedesktop.LogControl1 property SyslogIdentifier s read false
    org.toggled.Manager1 method Apply (a{sb}) (a{s(bss)})
    org.toggled.Manager1 method Reload () ()
    org.toggled.Manager1 property ConfigErrors a(sus) read true
    org.toggled.Manager1 property Rows u read true
    org.toggled.Manager1 property Scope s read const
    org.toggled.Manager1 property Version s read const
    org.toggled.Row1 method Hold (bss) (u)
    org.toggled.Row1 method Refresh () ()
    org.toggled.Row1 method Release (u) ()
    org.toggled.Row1 method Reset () (b)
    org.toggled.Row1 method SetOn (b) (b)
    org.toggled.Row1 method Toggle () (b)
    org.toggled.Row1 property Assumed b read true
    org.toggled.Row1 property Automatic b read true
    org.toggled.Row1 property Available b read true
    org.toggled.Row1 property Backend s read true
    org.toggled.Row1 property Holds aa{sv} read true
    org.toggled.Row1 property IconColor s read true
    org.toggled.Row1 property IconForeground s read true
    org.toggled.Row1 property Id s read const
    org.toggled.Row1 property IsOn b readwrite true
    org.toggled.Row1 property Keywords as read true
    org.toggled.Row1 property Locked b read true
    org.toggled.Row1 property NextChange t read true
    org.toggled.Row1 property OffSymbol s read true
    org.toggled.Row1 property OnSymbol s read true
    org.toggled.Row1 property Order i read true
    org.toggled.Row1 property Reason s read true
    org.toggled.Row1 property ReasonText s read true
    org.toggled.Row1 property Schedule s read true
    org.toggled.Row1 property Section o read true
    org.toggled.Row1 property State s read true
    org.toggled.Row1 property Style s read true
    org.toggled.Row1 property Subtitle s read true
    org.toggled.Row1 property Subtitles a{ss} read true
    org.toggled.Row1 property SwitchColor s read true
    org.toggled.Row1 property Symbol s read true
    org.toggled.Row1 property Target s read true
    org.toggled.Row1 property Title s read true
    org.toggled.Row1 property Titles a{ss} read true
    org.toggled.Row1 signal HoldReleased (u)
    org.toggled.Section1 property Footer s read true
    org.toggled.Section1 property Footers a{ss} read true
    org.toggled.Section1 property Id s read const
    org.toggled.Section1 property Order i read true
    org.toggled.Section1 property Title s read true
    org.toggled.Section1 property Titles a{ss} read true
    org.toggled.Switches1 property fan b readwrite true
    org.toggled.Switches1 property heat b readwrite true
    org.toggled.Switches1 property lamp b readwrite true
    """.split(separator: "\n").map(String.init)
}
