// SPDX-License-Identifier: Apache-2.0

/// Stores a number that may be unknown in eight bytes instead of sixteen.
///
/// A sentence is copied on its way from the line to whoever reads it, and optionals of doubles
/// are what fills it. No field can hold a NaN (there are no digits for one), so that is free to
/// stand for `nil`; nobody outside sees it.
@propertyWrapper
public struct Known: Equatable, Sendable {
  private var storage: Double

  /// Stores a number, or that there is none.
  @inline(__always)
  public init(wrappedValue: Double?) { storage = wrappedValue ?? .nan }

  /// The number, or `nil` where it is unknown.
  @inline(__always)
  public var wrappedValue: Double? {
    get { storage.isNaN ? nil : storage }
    set { storage = newValue ?? .nan }
  }

  /// Two are equal when both are unknown or both are the same number.
  public static func == (left: Known, right: Known) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}
