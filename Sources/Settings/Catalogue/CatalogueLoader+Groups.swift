// SPDX-License-Identifier: MIT

/// What has to hold between rows: a group's members are rows of its bus, and no group leads back to
/// itself.
extension CatalogueLoader {
  /// Takes out the groups that are wrong, and out of the others what is not published.
  mutating func checkGroups() {
    var members: [RowID: [RowID]] = [:]
    for (id, item) in loaded {
      if case .group(let group) = item.row.backend.kind { members[id] = group.rows }
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
    guard var item = loaded[id], case .group(var group) = item.row.backend.kind else { return }
    if let next = members.first(where: circle.contains) {
      return skip(
        id, item,
        "Rows lists '\(next)', which leads back to this group; a group can't contain itself")
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
          "Rows lists '\(member)', a row of the \(row.scope.rawValue) bus; "
            + "expected rows of the \(scope.rawValue) bus, as the group is")
      } else if failed.contains(member) || result.unpublished[member] != nil {
        warn(
          item.membersPlace,
          "Rows lists '\(member)', which is not published; the group does without it")
      } else {
        return skip(id, item, "Rows lists '\(member)', which is no row" + hint(member))
      }
    }
    guard !published.isEmpty else {
      return skip(id, item, "none of the rows in Rows is published; expected at least one")
    }
    if published.count < members.count {
      group.rows = published
      item.row.backend.kind = .group(group)
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
