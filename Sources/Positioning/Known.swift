// SPDX-License-Identifier: Apache-2.0

/// Stores a number that may be unknown in eight bytes instead of sixteen.
///
/// A fix has 18 such numbers and is copied several times on its way to the program. A NaN stands
/// for `nil` inside, so a property that is set to NaN reads as `nil`.
@propertyWrapper
public struct Known: Hashable, Sendable {
  private var storage: Double

  /// Stores that the number is unknown.
  @inline(__always)
  public init() { storage = .nan }

  /// Stores a number, or that it is unknown.
  @inline(__always)
  public init(wrappedValue: Double?) { storage = wrappedValue ?? .nan }

  /// The number, or `nil` where it is unknown.
  @inline(__always)
  public var wrappedValue: Double? {
    get { storage.isNaN ? nil : storage }
    set { storage = newValue ?? .nan }
  }

  /// Takes a number that is known; an unknown one changes nothing.
  @inline(__always)
  mutating func update(from other: Known) {
    storage = other.storage.isNaN ? storage : other.storage
  }

  /// Two are equal when both are unknown or both are the same number.
  public static func == (left: Known, right: Known) -> Bool {
    left.wrappedValue == right.wrappedValue
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
