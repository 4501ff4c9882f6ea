// SPDX-License-Identifier: Apache-2.0

/// Stores a number that may be unknown in eight bytes instead of sixteen.
///
/// Smaller sentences are cheaper to copy. A NaN represents `nil` internally; a parsed field is
/// never NaN.
@propertyWrapper
public struct Known: Equatable, Sendable {
  private var storage: Double

  /// Stores a number, or `nil` if it is unknown.
  @inline(__always)
  public init(wrappedValue: Double?) { storage = wrappedValue ?? .nan }

  /// The number; `nil` if it is unknown.
  @inline(__always)
  public var wrappedValue: Double? {
    get { storage.isNaN ? nil : storage }
    set { storage = newValue ?? .nan }
  }

  /// Two values are equal if both are unknown or both are the same number.
  public static func == (left: Known, right: Known) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}
