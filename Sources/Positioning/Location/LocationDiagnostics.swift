// SPDX-License-Identifier: Apache-2.0

/// Why nothing comes, or less than was asked for: any number of reasons at once.
///
/// Core Location has a property for each reason, on updates, on events of monitors and on the
/// diagnostics of sessions. Differs in that one set serves all three, and the manager itself.
public struct LocationDiagnostics: OptionSet, Hashable, Codable, Sendable {
  /// The reasons as bits, whose order may change between versions.
  public let rawValue: UInt32

  /// Makes a set of reasons out of its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Locations are snapped to a grid and come seldom.
  ///
  /// As in Core Location, for a grant of reduced accuracy.
  public static let accuracyLimited = LocationDiagnostics(rawValue: 1 << 0)
  /// Refused by a decision, for this program or for the whole board.
  ///
  /// As in Core Location.
  public static let authorizationDenied = LocationDiagnostics(rawValue: 1 << 1)
  /// The switch for the whole board is off.
  ///
  /// As in Core Location; here it comes together with ``authorizationDenied``.
  public static let authorizationDeniedGlobally = LocationDiagnostics(rawValue: 1 << 2)
  /// Locked by the administrator, or the decisions cannot be read.
  ///
  /// Core Location's is for restrictions that the user cannot change. Differs in that it is also
  /// for decisions that cannot be read, which grant nothing.
  public static let authorizationRestricted = LocationDiagnostics(rawValue: 1 << 3)
  /// Nobody has decided, and nobody was asked.
  ///
  /// Core Location has no such reason: it asks a person who is there.
  public static let authorizationNotDetermined = LocationDiagnostics(rawValue: 1 << 4)
  /// A request waits for somebody to decide.
  ///
  /// As in Core Location, where a person looks at the question; an operator may take days.
  public static let authorizationRequestInProgress = LocationDiagnostics(rawValue: 1 << 5)
  /// There is no position at present.
  ///
  /// As in Core Location. ``noReceiver`` or ``noFix`` comes with it and says why.
  public static let locationUnavailable = LocationDiagnostics(rawValue: 1 << 7)
  /// No receiver has said anything, or the one that did is lost.
  ///
  /// Core Location has no such reason: its receiver is built in.
  public static let noReceiver = LocationDiagnostics(rawValue: 1 << 8)
  /// A receiver is there and has no position yet.
  ///
  /// Core Location has no such reason.
  public static let noFix = LocationDiagnostics(rawValue: 1 << 9)
  /// The upgrade from "in use" to "always" was refused.
  ///
  /// Core Location has it in the diagnostics of a service session only. Differs in that it is
  /// wherever diagnostics are.
  public static let alwaysAuthorizationDenied = LocationDiagnostics(rawValue: 1 << 10)
  /// Full accuracy was refused.
  ///
  /// Core Location has it in the diagnostics of a service session only. Differs in that it is
  /// wherever diagnostics are.
  public static let fullAccuracyDenied = LocationDiagnostics(rawValue: 1 << 11)
  /// The program asked without saying what for, so nobody was asked: an error of its author.
  ///
  /// Core Location does nothing where the entry in the property list is missing, and tells nobody.
  public static let purposeMissing = LocationDiagnostics(rawValue: 1 << 12)
  /// The board has not moved for a while; locations go on coming.
  ///
  /// Core Location's `stationary` says that updates have stopped until the device moves. Differs in
  /// that they go on: who reads them may want to know that the board is still there.
  public static let stationary = LocationDiagnostics(rawValue: 1 << 13)
  /// The daemon that serves locations on this board does not answer, or this program may not ask it.
  public static let daemonUnreachable = LocationDiagnostics(rawValue: 1 << 14)
}

extension LocationDiagnostics: CustomStringConvertible {
  private static let names: [(LocationDiagnostics, String)] = [
    (.accuracyLimited, "reduced accuracy"), (.authorizationDenied, "denied"),
    (.authorizationDeniedGlobally, "denied for the whole board"),
    (.authorizationRestricted, "restricted"), (.authorizationNotDetermined, "not determined"),
    (.authorizationRequestInProgress, "a request waits for an answer"),
    (.locationUnavailable, "no position"),
    (.noReceiver, "no receiver"), (.noFix, "no fix yet"),
    (.alwaysAuthorizationDenied, "always was refused"),
    (.fullAccuracyDenied, "full accuracy was refused"), (.purposeMissing, "no purpose stated"),
    (.stationary, "not moving"), (.daemonUnreachable, "the daemon does not answer"),
  ]

  /// The reasons in words, separated by commas; empty where there is none.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
