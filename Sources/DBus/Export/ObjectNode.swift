// SPDX-License-Identifier: MIT

import DBusTypes

/// A path in the tree: an object when it has interfaces, else a step on the way to one.
@MainActor
final class ObjectNode {
  let path: ObjectPath
  unowned let tree: ObjectTree
  private(set) unowned var parent: ObjectNode?
  /// Where this node is in its parent's children.
  private var place = 0
  private(set) var children = StableList<ObjectNode>()
  var bindings: [InterfaceBinding] = []
  /// Whether `org.freedesktop.DBus.ObjectManager` is answered here.
  var isManager = false

  init(_ path: ObjectPath, in tree: ObjectTree, under parent: ObjectNode?) {
    self.path = path
    self.tree = tree
    self.parent = parent
    guard let parent else { return }
    place = parent.children.append(self)
  }

  /// Whether nothing needs this node any more.
  var isIdle: Bool {
    bindings.isEmpty && children.count == 0 && !isManager
  }

  func leaveParent() {
    guard let parent else { return }
    parent.children.remove(at: place)
    parent.children.compact { child, place in child.place = place }
    self.parent = nil
  }

  func binding(of interface: UnsafePointer<CChar>) -> InterfaceBinding? {
    bindings.first { isEqual(interface, $0.interface.rawValue) }
  }

  /// The nearest ancestor that is an ObjectManager.
  var manager: ObjectNode? {
    var node = parent
    while let candidate = node, !candidate.isManager {
      node = candidate.parent
    }
    return node
  }

  /// Calls `body` with every object below this node, parents before children, in the order they
  /// were added.
  func forEachObjectBelow(_ body: (ObjectNode) -> Void) {
    children.forEach { _, child in
      if !child.bindings.isEmpty { body(child) }
      child.forEachObjectBelow(body)
    }
  }
}
