// SPDX-License-Identifier: MIT

/// A list that keeps the order things were added in, where an element's place does not change while
/// others come and go, and where adding and removing take constant time.
///
/// A removed element leaves a hole. Holes go when they are more than half of a list that is asked
/// to `compact`, which is the one thing that changes places.
nonisolated struct StableList<Element> {
  private var slots: [Element?] = []
  private(set) var count = 0

  /// One more than the last place.
  var end: Int { slots.count }

  mutating func append(_ element: Element) -> Int {
    slots.append(element)
    count += 1
    return slots.count - 1
  }

  /// The element at `place`; nil where one was removed.
  subscript(place: Int) -> Element? {
    place < slots.count ? slots[place] : nil
  }

  mutating func replace(at place: Int, with element: Element) {
    slots[place] = element
  }

  mutating func remove(at place: Int) {
    guard slots[place] != nil else { return }
    slots[place] = nil
    count -= 1
    while let last = slots.last, last == nil {
      slots.removeLast()
    }
  }

  /// Closes the holes when they are many, and tells each element's new place.
  mutating func compact(_ moved: (Element, Int) -> Void) {
    guard slots.count > 32, count * 2 < slots.count else { return }
    var kept: [Element?] = []
    kept.reserveCapacity(count)
    for case .some(let element) in slots {
      moved(element, kept.count)
      kept.append(element)
    }
    slots = kept
  }

  /// Calls `body` with each element and its place, in order.
  @inline(__always)
  func forEach(_ body: (Int, Element) -> Void) {
    for place in slots.indices {
      if let element = slots[place] { body(place, element) }
    }
  }
}
