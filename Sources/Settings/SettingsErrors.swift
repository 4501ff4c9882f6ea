// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a configuration.
public struct SettingsErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// The errors, in the order of the files.
  public let all: [SettingsError]

  /// Sorts errors by where they stand; those that stand nowhere come last.
  ///
  /// - Parameter errors: The errors.
  public init(_ errors: [SettingsError]) {
    all =
      errors.enumerated().sorted { one, other in
        switch (one.element.origin, other.element.origin) {
        case (let one?, let other?) where one != other: one < other
        case (nil, _?): false
        case (_?, nil): true
        default: one.offset < other.offset
        }
      }.map(\.element)
  }

  /// One line an error.
  public var description: String { all.map(\.description).joined(separator: "\n") }
}
