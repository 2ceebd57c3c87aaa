// SPDX-License-Identifier: MIT

import CDBus
package import DBusTypes

/// The objects that a connection publishes.
///
/// It answers every method call that reaches the connection, exactly once, and supplies the
/// standard interfaces: Introspectable everywhere, Properties where there are interfaces, and
/// ObjectManager where it is asked for. Peer is libdbus's. Paths on the way to an object exist too
/// and answer Introspect with their children.
///
/// Calls come from the connection's filter, so that libdbus does not walk a tree of its own. A
/// handler may export and take back any object, its own included.
@MainActor
package final class ObjectTree {
  /// The connection whose calls are answered.
  package let connection: Connection
  var nodes: [String: ObjectNode] = [:]
  /// Interfaces with changes to tell, in the order they were first marked.
  private var changed: [InterfaceBinding] = []
  /// The same for interfaces that are announced last.
  private var changedLast: [InterfaceBinding] = []
  private var isFlushPlanned = false

  /// Answers the calls that reach `connection` from now on; a connection has one tree.
  package init(_ connection: Connection) {
    precondition(connection.tree == nil, "a connection has one object tree")
    self.connection = connection
    nodes["/"] = ObjectNode(.root, in: self, under: nil)
    connection.tree = self
  }

  isolated deinit {
    for node in nodes.values {
      for binding in node.bindings {
        release(binding)
      }
    }
  }

  // MARK: Publishing

  /// Publishes interfaces at a path, and says so with InterfacesAdded where an ObjectManager lies
  /// above it. An interface that the object has already is a bug and traps.
  package func export(at path: ObjectPath, _ bindings: InterfaceBinding...) {
    export(at: path, bindings)
  }

  /// Publishes interfaces at a path.
  package func export(at path: ObjectPath, _ bindings: [InterfaceBinding]) {
    let node = makeNode(at: path)
    for binding in bindings {
      precondition(
        binding.object == nil && !node.bindings.contains { $0.interface == binding.interface },
        "\(binding.interface) is exported twice at \(path)")
      node.bindings.append(binding)
      binding.object = node
    }
    announce(bindings, of: node)
  }

  /// Takes every interface of an object back, and says so with InterfacesRemoved where an
  /// ObjectManager lies above it. Changes that were not told yet are dropped. Objects below stay.
  package func unexport(_ path: ObjectPath) {
    guard let node = nodes[path.rawValue], !node.bindings.isEmpty else { return }
    let interfaces = node.bindings.map(\.interface)
    for binding in node.bindings {
      release(binding)
    }
    node.bindings = []
    announceRemoval(of: interfaces, of: node)
    prune(node)
  }

  /// Answers ObjectManager at a path, for the objects below it.
  package func addObjectManager(at path: ObjectPath) {
    makeNode(at: path).isManager = true
  }

  /// Whether an object is published at the path.
  package func hasObject(at path: ObjectPath) -> Bool {
    nodes[path.rawValue].map { !$0.bindings.isEmpty } ?? false
  }

  private func release(_ binding: InterfaceBinding) {
    binding.object = nil
    binding.pending = nil
  }

  private func makeNode(at path: ObjectPath) -> ObjectNode {
    if let node = nodes[path.rawValue] { return node }
    let parent = path.parent.map { makeNode(at: $0) }
    let node = ObjectNode(path, in: self, under: parent)
    nodes[path.rawValue] = node
    return node
  }

  private func prune(_ node: ObjectNode) {
    var node = node
    while node.isIdle, let parent = node.parent {
      node.leaveParent()
      nodes[node.path.rawValue] = nil
      node = parent
    }
  }

  // MARK: Changes

  func enqueue(_ binding: InterfaceBinding) {
    if binding.members.isAnnouncedLast {
      changedLast.append(binding)
    } else {
      changed.append(binding)
    }
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    connection.later { [weak self] in
      guard let self else { return }
      isFlushPlanned = false
      flush()
    }
  }

  /// Tells of every change now: one PropertiesChanged for each interface of each object.
  package func flush() {
    guard !changed.isEmpty || !changedLast.isEmpty else { return }
    let bindings = changed + changedLast
    changed = []
    changedLast = []
    for binding in bindings {
      guard let pending = binding.pending, let object = binding.object else { continue }
      binding.pending = nil
      tell(pending, of: binding, at: object)
    }
  }

  private func tell(_ pending: PendingChanges, of binding: InterfaceBinding, at object: ObjectNode)
  {
    var changed: [PropertyMember] = []
    var invalidated: [String] = []
    for name in pending.changed {
      guard let property = binding.members.property(named: name) else { continue }
      switch property.notice {
      case .value: changed.append(property)
      case .invalidation: invalidated.append(name)
      case .constant, .none: break
      }
    }
    invalidated += pending.invalidated
    guard !changed.isEmpty || !invalidated.isEmpty else { return }
    let message = Message.signal("PropertiesChanged", of: .properties, at: object.path)
    send(message) { writer in
      writer.append(binding.interface.rawValue)
      writer.appendDictionary(of: "{sv}") { writer in
        for property in changed {
          writer.appendEntry { entry in
            entry.append(property.name.rawValue)
            binding.write(property, to: &entry)
          }
        }
      }
      invalidated.write(to: &writer)
    }
  }

  /// Fills a signal and sends it; one that cannot be sent is told to the connection's `onNotice`.
  func send(_ message: Message, _ body: (inout Writer) -> Void) {
    do throws(DBusError) {
      try message.write(body)
      connection.send(message)
    } catch {
      connection.onNotice?(.notSent(error))
    }
  }
}
