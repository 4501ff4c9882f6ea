// SPDX-License-Identifier: Apache-2.0

/// Reports without a time between two timed reports of a recording.
///
/// The next timed report determines whether the gap is within one epoch or between two epochs.
struct EpochGap: Sendable {
  enum Element: Sendable {
    case fix(FixReport, used: UsedSatellites?)
    case sky(SkyReport)

    /// Whether this report and all later reports of the gap belong to the next epoch.
    var precedesTime: Bool {
      if case .fix(let report, _) = self { report.precedesTime } else { false }
    }
  }

  /// Whether all reports of a gap between two epochs belong to the next epoch.
  let precedesTime: Bool

  /// The maximum number of held reports.
  ///
  /// A cycle has fewer reports: twelve GSV for each of four systems, and the GSA.
  static let capacity = 64

  private var elements: [Element] = []

  /// Makes an empty gap.
  init(precedesTime: Bool = false) { self.precedesTime = precedesTime }

  var isFull: Bool { elements.count >= Self.capacity }
  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns all reports.
  mutating func takeAll() -> [Element] {
    defer { elements.removeAll(keepingCapacity: true) }
    return elements
  }

  /// Removes and returns the reports of the previous epoch; later reports belong to the next.
  mutating func takeTrailing() -> [Element] {
    guard !precedesTime else { return [] }
    let end = elements.firstIndex(where: \.precedesTime) ?? elements.endIndex
    defer { elements.removeFirst(end) }
    return Array(elements[..<end])
  }
}
