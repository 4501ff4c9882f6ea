// SPDX-License-Identifier: Apache-2.0

/// The kinds of the reports of one epoch, stored inline without an allocation.
struct ReportKinds: Sendable {
  private static let capacity = CycleLearner.kindsTracked

  private var storage: [32 of UInt32] = .init(repeating: 0)
  private var count = 0

  /// Adds a kind; a kind beyond the capacity is dropped.
  mutating func append(_ kind: ReportKind) {
    guard count < Self.capacity else { return }
    storage[count] = kind.rawValue
    count &+= 1
  }

  /// The number of the first kind; `nil` without kinds.
  var first: UInt32? { count > 0 ? storage[0] : nil }

  func contains(_ kind: ReportKind) -> Bool {
    for index in 0..<count where storage[index] == kind.rawValue { return true }
    return false
  }

  mutating func removeAll() { count = 0 }
}
