// SPDX-License-Identifier: Apache-2.0

/// Stores a number that may be unknown in eight bytes instead of sixteen.
///
/// A fix has 18 such numbers and is copied several times on its way to the program. A NaN
/// represents `nil` internally, so a property that is set to NaN reads as `nil`.
@propertyWrapper
public struct Known: Hashable, Sendable {
  private var storage: Double

  /// Stores an unknown number.
  @inline(__always)
  public init() { storage = .nan }

  /// Stores a number, or `nil` if it is unknown.
  @inline(__always)
  public init(wrappedValue: Double?) { storage = wrappedValue ?? .nan }

  /// The number; `nil` if it is unknown.
  @inline(__always)
  public var wrappedValue: Double? {
    get { storage.isNaN ? nil : storage }
    set { storage = newValue ?? .nan }
  }

  /// Replaces the number if the other number is known.
  @inline(__always)
  mutating func update(from other: Known) {
    storage = other.storage.isNaN ? storage : other.storage
  }

  /// Two values are equal if both are unknown or both are the same number.
  public static func == (left: Known, right: Known) -> Bool {
    left.wrappedValue == right.wrappedValue
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
