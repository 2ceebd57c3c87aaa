// SPDX-License-Identifier: MIT

/// The rows that the tests of togglectl show.
enum ClientRows {
  static let files: [String: String] = [
    "lamp.row": """
    [Row]
    Title=Lamp
    Title[es]=Lámpara
    Subtitle=On the desk
    Subtitle[es]=En el escritorio
    Keywords=light;
    Keywords[es]=luz;
    Section=home
    Order=10
    Symbol=lamp-symbolic
    IconColor=yellow
    Default=on
    [Backend]
    Type=stored

    """,
    "garden_gate.row": """
    [Row]
    Title=Garden Gate
    Title[es]=Puerta del jardín
    Section=home
    Order=20
    IconColor=#336699
    SwitchColor=orange
    Style=checkbox
    [Backend]
    Type=stored

    """,
    "alarm.row": """
    [Row]
    Title=Alarm
    Title[es]=Alarma
    Default=off
    Locked=true
    [Backend]
    Type=stored

    """,
    "all.row": """
    [Row]
    Title=Everything
    Title[es]=Todo
    Section=home
    Order=30
    [Backend]
    Type=group
    Rows=lamp;garden_gate

    """,
    "sensor.row": """
    [Row]
    Title=Sensor
    [Backend]
    Type=file
    Path=/nonexistent/sensor
    On=1
    Off=0

    """,
    "home.section": """
    [Section]
    Title=Home
    Title[es]=Casa
    Footer=What is at home.
    Footer[es]=Lo que hay en casa.
    Order=1

    """,
  ]
}
