// SPDX-License-Identifier: Apache-2.0

/// Which kinds of report of an epoch say that there is a solution, and which that there is none.
struct SolutionVotes: Sendable {
  /// What a report's word is worth.
  enum Vote: Equatable, Sendable {
    /// The first of its kind, or the first of its kind with a solution.
    case counted
    /// Another of its kind that has a solution too.
    case repeated
    /// One without a solution where another of its kind has one: it says nothing.
    case outvoted
  }

  /// More than there are kinds that say it.
  private static let capacity = 8

  private var kinds: [8 of UInt32] = .init(repeating: 0)
  /// Number of kinds that stated whether there is a solution.
  private(set) var count = 0
  /// A bit for each kind that has a solution.
  private var solved: UInt8 = 0
  /// Whether one of a kind beyond the capacity had none.
  private var hasUnknownRefusal = false

  /// Whether every kind that said anything has a solution; with no statement at all there is none.
  var areUnanimous: Bool {
    count > 0 && !hasUnknownRefusal && Int(solved.nonzeroBitCount) == count
  }

  /// Takes what a report says.
  mutating func take(_ hasSolution: Bool, of kind: ReportKind?) -> Vote {
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
      hasUnknownRefusal = hasUnknownRefusal || !hasSolution
      return .counted
    }
    kinds[count] = number
    if hasSolution { solved |= 1 << UInt8(count) }
    count += 1
    return .counted
  }
}
