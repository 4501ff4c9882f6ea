// SPDX-License-Identifier: Apache-2.0

/// Reports without a time that stand between two timed reports of a recording.
///
/// Only the next timed report shows whether they lie within an epoch or between two.
struct EpochGap: Sendable {
  enum Element: Sendable {
    case fix(FixReport, used: UsedSatellites?)
    case sky(SkyReport)

    /// Whether it belongs to the coming epoch, and so does what follows it.
    var precedesTime: Bool {
      if case .fix(let report, _) = self { report.precedesTime } else { false }
    }
  }

  /// More than a cycle holds: twelve parts of GSV for each of four systems, and GSA.
  static let capacity = 64

  private var elements: [Element] = []

  var isFull: Bool { elements.count >= Self.capacity }
  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns everything.
  mutating func takeAll() -> [Element] {
    defer { elements.removeAll(keepingCapacity: true) }
    return elements
  }

  /// Removes and returns what belongs to the epoch before; what remains belongs to the coming one.
  mutating func takeTrailing() -> [Element] {
    let end = elements.firstIndex(where: \.precedesTime) ?? elements.endIndex
    defer { elements.removeFirst(end) }
    return Array(elements[..<end])
  }
}
