// SPDX-License-Identifier: MIT

import CDBus
import DBusTypes

/// ObjectManager. Specification: "org.freedesktop.DBus.ObjectManager".
extension ObjectTree {
  func announce(_ bindings: [InterfaceBinding], of node: ObjectNode) {
    guard !bindings.isEmpty, let manager = node.manager else { return }
    let message = Message.signal("InterfacesAdded", of: .objectManager, at: manager.path)
    send(message) { writer in
      node.path.write(to: &writer)
      write(bindings, to: &writer)
    }
  }

  func announceRemoval(of interfaces: [InterfaceName], of node: ObjectNode) {
    guard let manager = node.manager else { return }
    let message = Message.signal("InterfacesRemoved", of: .objectManager, at: manager.path)
    send(message) { writer in
      node.path.write(to: &writer)
      interfaces.map(\.rawValue).write(to: &writer)
    }
  }

  func getManagedObjects(of node: ObjectNode, _ call: Call) {
    answer(call) { writer in
      writer.appendDictionary(of: "{oa{sa{sv}}}") { writer in
        node.forEachObjectBelow { object in
          writer.appendEntry { entry in
            object.path.write(to: &entry)
            write(object.bindings, to: &entry)
          }
        }
      }
    }
  }

  /// `a{sa{sv}}`: each interface with all its properties.
  private func write(_ bindings: [InterfaceBinding], to writer: inout Writer) {
    writer.appendDictionary(of: "{sa{sv}}") { writer in
      for binding in bindings {
        writer.appendEntry { entry in
          entry.append(binding.interface.rawValue)
          entry.appendDictionary(of: "{sv}") { binding.writeProperties(to: &$0) }
        }
      }
    }
  }
}
