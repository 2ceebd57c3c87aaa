// SPDX-License-Identifier: MIT

/// The groups of rows that reach each other, found by Tarjan's algorithm without recursion: a chain
/// of groups may be as long as there are files.
struct GroupClusters {
  /// Groups that lead to each other stand in one cluster, every other group in one of its own; a
  /// group's members come before it.
  private(set) var clusters: [[RowID]] = []

  private let members: [RowID: [RowID]]
  private var index: [RowID: Int] = [:]
  private var lowest: [RowID: Int] = [:]
  private var open: [RowID] = []
  private var isOpen: Set<RowID> = []

  /// Clusters the keys of `members`; members that are no keys do not count.
  init(_ members: [RowID: [RowID]]) {
    self.members = members.mapValues { rows in rows.filter { members[$0] != nil } }
    for id in members.keys.sorted() where index[id] == nil {
      visit(id)
    }
  }

  private mutating func enter(_ id: RowID) {
    index[id] = index.count
    lowest[id] = index[id]
    open.append(id)
    isOpen.insert(id)
  }

  private mutating func visit(_ start: RowID) {
    var path = [(id: start, next: 0)]
    enter(start)
    while let (id, next) = path.last {
      let rows = members[id] ?? []
      if next < rows.count {
        path[path.count - 1].next += 1
        let member = rows[next]
        if index[member] == nil {
          enter(member)
          path.append((member, 0))
        } else if isOpen.contains(member) {
          lower(id, to: index[member])
        }
      } else {
        path.removeLast()
        if let parent = path.last { lower(parent.id, to: lowest[id]) }
        if lowest[id] == index[id] { close(id) }
      }
    }
  }

  private mutating func lower(_ id: RowID, to value: Int?) {
    if let value, let present = lowest[id], value < present { lowest[id] = value }
  }

  private mutating func close(_ id: RowID) {
    var cluster: [RowID] = []
    while let last = open.popLast() {
      isOpen.remove(last)
      cluster.append(last)
      if last == id { break }
    }
    clusters.append(cluster.sorted())
  }
}
