// SPDX-License-Identifier: Apache-2.0

/// Records for each kind of report in an epoch whether it states a solution.
struct SolutionVotes: Sendable {
  /// The effect of a report.
  enum Vote: Equatable, Sendable {
    /// The first report of its kind, or the first of its kind with a solution.
    case counted
    /// Another report of its kind with a solution.
    case repeated
    /// A report without a solution, ignored because another report of its kind has a solution.
    case outvoted
  }

  /// The maximum number of recorded kinds, more than receivers send.
  private static let capacity = 8

  private var kinds: [8 of UInt32] = .init(repeating: 0)
  /// The number of recorded kinds.
  private(set) var count = 0
  /// One bit for each recorded kind; set if the kind has a solution.
  private var solved: UInt8 = 0
  /// Whether a report without a solution was of a kind that did not fit into `kinds`.
  private var hasUntrackedRefusal = false

  /// Whether every recorded kind has a solution; false if no kind is recorded.
  var areUnanimous: Bool {
    count > 0 && !hasUntrackedRefusal && Int(solved.nonzeroBitCount) == count
  }

  /// Records whether a report states a solution.
  mutating func record(_ hasSolution: Bool, of kind: ReportKind?) -> Vote {
    let number = kind?.rawValue ?? 0
    for index in 0..<count where kinds[index] == number {
      let bit: UInt8 = 1 << UInt8(index)
      guard solved & bit != 0 else {
        if hasSolution { solved |= bit }
        return .counted
      }
      return hasSolution ? .repeated : .outvoted
    }
    guard count < Self.capacity else {
      hasUntrackedRefusal = hasUntrackedRefusal || !hasSolution
      return .counted
    }
    kinds[count] = number
    if hasSolution { solved |= 1 << UInt8(count) }
    count += 1
    return .counted
  }
}
