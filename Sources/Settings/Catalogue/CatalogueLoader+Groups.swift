// SPDX-License-Identifier: MIT

/// What has to hold between rows: the members of a group are rows of its bus, and no group leads
/// back to itself. Every row that flips others is a group here.
extension CatalogueLoader {
  /// Takes out the groups that are wrong, and out of the others what is not published.
  mutating func checkGroups() {
    var members: [RowID: [RowID]] = [:]
    for (id, item) in loaded where item.row.backend.membersKey != nil {
      members[id] = item.row.backend.members
    }
    // Members come first.
    var depths: [RowID: Int] = [:]
    for cluster in GroupClusters(members).clusters {
      let circle = cluster.count > 1 ? Set(cluster) : []
      for id in cluster {
        let rows = members[id] ?? []
        depths[id] = 1 + (rows.lazy.compactMap { depths[$0] }.max() ?? 0)
        checkGroup(id, rows, circle, depth: depths[id] ?? 1)
      }
    }
  }

  /// How deep groups may nest. A flip goes down through all of them and each answer comes up again,
  /// on the stack.
  private static var deepest: Int { 16 }

  private mutating func checkGroup(
    _ id: RowID, _ members: [RowID], _ circle: Set<RowID>, depth: Int
  ) {
    guard var item = loaded[id], let key = item.row.backend.membersKey else { return }
    if let next = members.first(where: circle.contains) {
      return skip(
        id, item,
        "\(key) lists '\(next)', which leads back to this group; a group can't contain itself")
    }
    guard depth <= Self.deepest else {
      return skip(
        id, item, "the group is nested \(depth) deep; expected \(Self.deepest) at most")
    }
    var published: [RowID] = []
    for member in members {
      if loaded[member] != nil {
        published.append(member)
      } else if let row = result.unpublished[member], row.scope != scope {
        return skip(
          id, item,
          "\(key) lists '\(member)', a row of the \(row.scope.rawValue) bus; "
            + "expected rows of the \(scope.rawValue) bus, as the group is")
      } else if failed.contains(member) || result.unpublished[member] != nil {
        warn(
          item.membersPlace,
          "\(key) lists '\(member)', which is not published; the group does without it")
      } else {
        return skip(id, item, "\(key) lists '\(member)', which is no row" + hint(member))
      }
    }
    guard !published.isEmpty else {
      return skip(id, item, "none of the rows in \(key) is published; expected at least one")
    }
    if published.count < members.count {
      item.row.backend = item.row.backend.with(members: published)
      loaded[id] = item
    }
  }

  private func hint(_ member: RowID) -> String {
    let nearest = suggestion(for: member.rawValue, among: loaded.keys.lazy.map(\.rawValue))
    return nearest.map { "; did you mean \($0)?" } ?? "; expected \(member).row"
  }

  private mutating func skip(_ id: RowID, _ item: Loaded, _ message: String) {
    fail(item.membersPlace, message)
    loaded[id] = nil
    failed.insert(id)
  }
}
