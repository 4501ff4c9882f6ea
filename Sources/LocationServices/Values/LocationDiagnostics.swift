// SPDX-License-Identifier: Apache-2.0

/// Why nothing comes, or less than was asked for: any number of reasons at once.
public struct LocationDiagnostics: OptionSet, Hashable, Codable, Sendable {
  /// The reasons as bits, whose order may change between versions.
  public let rawValue: UInt32

  /// Makes a set of reasons out of its bits.
  ///
  /// - Parameter rawValue: The bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Locations are snapped to a grid and come seldom.
  public static let accuracyLimited = LocationDiagnostics(rawValue: 1 << 0)
  /// Refused by a decision, for this program or for the whole board.
  public static let authorizationDenied = LocationDiagnostics(rawValue: 1 << 1)
  /// The switch for the whole board is off.
  public static let authorizationDeniedGlobally = LocationDiagnostics(rawValue: 1 << 2)
  /// Locked by the administrator, or the decisions cannot be read.
  public static let authorizationRestricted = LocationDiagnostics(rawValue: 1 << 3)
  /// Nobody has decided, and nobody was asked.
  public static let authorizationNotDetermined = LocationDiagnostics(rawValue: 1 << 4)
  /// A request waits for somebody to decide.
  public static let authorizationRequestInProgress = LocationDiagnostics(rawValue: 1 << 5)
  /// Allowed only while in use, which the program is not.
  public static let insufficientlyInUse = LocationDiagnostics(rawValue: 1 << 6)
  /// There is no position at present; with the next two, why.
  public static let locationUnavailable = LocationDiagnostics(rawValue: 1 << 7)
  /// No receiver has said anything, or the one that did is lost.
  public static let noReceiver = LocationDiagnostics(rawValue: 1 << 8)
  /// A receiver is there and has no position yet.
  public static let noFix = LocationDiagnostics(rawValue: 1 << 9)
  /// The upgrade from "in use" to "always" was refused.
  public static let alwaysAuthorizationDenied = LocationDiagnostics(rawValue: 1 << 10)
  /// Full accuracy was refused.
  public static let fullAccuracyDenied = LocationDiagnostics(rawValue: 1 << 11)
  /// The program asked without saying what for, so nobody was asked: an error of its author.
  public static let purposeMissing = LocationDiagnostics(rawValue: 1 << 12)
  /// The board has not moved for a while; locations go on coming.
  public static let stationary = LocationDiagnostics(rawValue: 1 << 13)
}

extension LocationDiagnostics: CustomStringConvertible {
  private static let names: [(LocationDiagnostics, String)] = [
    (.accuracyLimited, "reduced accuracy"), (.authorizationDenied, "denied"),
    (.authorizationDeniedGlobally, "denied for the whole board"),
    (.authorizationRestricted, "restricted"), (.authorizationNotDetermined, "not determined"),
    (.authorizationRequestInProgress, "a request waits for an answer"),
    (.insufficientlyInUse, "not in use"), (.locationUnavailable, "no position"),
    (.noReceiver, "no receiver"), (.noFix, "no fix yet"),
    (.alwaysAuthorizationDenied, "always was refused"),
    (.fullAccuracyDenied, "full accuracy was refused"), (.purposeMissing, "no purpose stated"),
    (.stationary, "not moving"),
  ]

  /// The reasons in words, separated by commas; empty where there is none.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
