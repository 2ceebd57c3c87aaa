// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

nonisolated extension Writer {
  /// Appends a value as its own type. A value that contradicts itself fails the message with
  /// `InvalidArgs`.
  package mutating func append(_ value: Value) {
    if let problem = value.problem {
      fail(.invalidArgs("a value cannot be sent: \(problem)"))
    } else {
      appendChecked(value)
    }
  }

  /// Appends a value in a variant.
  package mutating func appendVariant(_ value: Value) {
    append(.variant(value))
  }

  private mutating func appendChecked(_ value: Value) {
    switch value {
    case .byte(let value): value.write(to: &self)
    case .boolean(let value): value.write(to: &self)
    case .int16(let value): value.write(to: &self)
    case .uint16(let value): value.write(to: &self)
    case .int32(let value): value.write(to: &self)
    case .uint32(let value): value.write(to: &self)
    case .int64(let value): value.write(to: &self)
    case .uint64(let value): value.write(to: &self)
    case .double(let value): value.write(to: &self)
    case .string(let text): append(text)
    case .objectPath(let path): path.write(to: &self)
    case .signature(let signature): signature.write(to: &self)
    case .unixDescriptor(let descriptor): append(descriptor)
    case .variant(let inner):
      appendVariant(of: inner.type.code) { $0.appendChecked(inner) }
    case .array(let element, let elements):
      appendArray(of: element.code) { inner in
        for element in elements {
          inner.appendChecked(element)
        }
      }
    case .dictionary(let key, let value, let entries):
      appendDictionary(of: "{\(key.code)\(value.code)}") { inner in
        for entry in entries {
          inner.appendEntry { pair in
            pair.appendChecked(entry.key)
            pair.appendChecked(entry.value)
          }
        }
      }
    case .structure(let members):
      appendStructure { inner in
        for member in members {
          inner.appendChecked(member)
        }
      }
    }
  }
}
