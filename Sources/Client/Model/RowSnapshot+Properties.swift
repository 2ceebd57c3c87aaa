// SPDX-License-Identifier: MIT

import DBusTypes
import Settings

extension RowSnapshot {
  /// Takes over the properties of an `a{sv}`: all of them or, from PropertiesChanged, some. What
  /// is unknown or of the wrong type is passed over: the interface only grows.
  nonisolated mutating func apply(_ properties: Value) {
    guard case .dictionary(_, _, let entries) = properties else { return }
    for entry in entries {
      guard case .string(let name) = entry.key else { continue }
      let value = entry.value.unwrapped
      switch value {
      case .string(let text): take(text, name)
      case .boolean(let flag): take(flag, name)
      case .objectPath(let path):
        if name == "Section" { section = String(path.lastElement) }
      case .array(_, let elements): take(elements, name)
      case .dictionary: takeTranslations(value, name)
      default: take(number: value, name)
      }
    }
  }

  private nonisolated mutating func take(_ text: String, _ name: String) {
    switch name {
    case "Id": id = text
    case "Title": title.takeOwn(text)
    case "Subtitle": subtitle.takeOwn(text)
    case "Symbol": symbol = text
    case "OnSymbol": onSymbol = text
    case "OffSymbol": offSymbol = text
    case "IconColor": iconColour = text
    case "IconForeground": iconForeground = text
    case "SwitchColor": switchColour = text
    case "Style": style = text
    case "Backend": backend = text
    case "State": state = SwitchState(word: text)
    case "Target": target = text
    case "Reason": reason = text
    case "ReasonText": reasonText = text
    case "Schedule": schedule = text
    default: break
    }
  }

  private nonisolated mutating func take(_ flag: Bool, _ name: String) {
    switch name {
    case "IsOn": isOn = flag
    case "Available": isAvailable = flag
    case "Locked": isLocked = flag
    case "Assumed": isAssumed = flag
    case "Automatic": isAutomatic = flag
    default: break
    }
  }

  private nonisolated mutating func take(number value: Value, _ name: String) {
    switch (name, value) {
    case ("Order", _): order = value.asInteger ?? 0
    case ("NextChange", .uint64(let microseconds)): nextChange = microseconds
    default: break
    }
  }

  private nonisolated mutating func take(_ elements: [Value], _ name: String) {
    switch name {
    case "Keywords": keywords = elements.compactMap(\.asString)
    case "Holds": holds = elements.map(Hold.init)
    default: break
    }
  }

  private nonisolated mutating func takeTranslations(_ value: Value, _ name: String) {
    switch name {
    case "Titles": title = LocalisedText(value)
    case "Subtitles": subtitle = LocalisedText(value)
    default: break
    }
  }
}

extension RowSnapshot.Hold {
  fileprivate nonisolated init(_ value: Value) {
    cookie = UInt32(clamping: value["Cookie"]?.asInteger ?? 0)
    on = value["On"]?.asBoolean ?? false
    reason = value["Reason"]?.asString ?? ""
    applicationID = value["ApplicationId"]?.asString ?? ""
  }
}
