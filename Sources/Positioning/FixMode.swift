// SPDX-License-Identifier: Apache-2.0

/// The dimensions of a solution, numbered as in gpsd and in GSA.
public enum FixMode: UInt8, Comparable, Hashable, Sendable {
  /// No position.
  case none = 1
  /// Latitude and longitude; the altitude is assumed, not solved.
  case twoDimensional = 2
  /// Latitude, longitude and altitude.
  case threeDimensional = 3

  /// Orders by the number of dimensions.
  public static func < (left: FixMode, right: FixMode) -> Bool { left.rawValue < right.rawValue }
}

extension FixMode: Codable {}

extension FixStatus: Codable {}
