// SPDX-License-Identifier: Apache-2.0

/// The reasons why locations are missing or reduced.
///
/// Core Location has a property for each reason in updates, in monitor events and in session
/// diagnostics. Differs from Core Location: these three types and the location manager use this
/// set.
public struct LocationDiagnostics: OptionSet, Hashable, Codable, Sendable {
  /// The reasons as bits, whose order may change between versions.
  public let rawValue: UInt32

  /// Makes a set of reasons from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Locations are snapped to a grid and delivered at most four times an hour.
  ///
  /// As in Core Location, for a grant of reduced accuracy.
  public static let accuracyLimited = LocationDiagnostics(rawValue: 1 << 0)
  /// Refused by a decision, for this program or for the whole board.
  ///
  /// As in Core Location.
  public static let authorizationDenied = LocationDiagnostics(rawValue: 1 << 1)
  /// Location services are switched off for the whole board.
  ///
  /// As in Core Location; always together with ``authorizationDenied``.
  public static let authorizationDeniedGlobally = LocationDiagnostics(rawValue: 1 << 2)
  /// Locked by the administrator, or the decisions cannot be read.
  ///
  /// Core Location sets this reason for restrictions that the user cannot change. Differs from Core
  /// Location: the reason is also set while the decisions cannot be read.
  public static let authorizationRestricted = LocationDiagnostics(rawValue: 1 << 3)
  /// There is neither a decision nor a pending request.
  ///
  /// Core Location has no such reason, because it prompts the user.
  public static let authorizationNotDetermined = LocationDiagnostics(rawValue: 1 << 4)
  /// A request is waiting for a decision.
  ///
  /// As in Core Location, where the user sees a prompt; here an operator may take days.
  public static let authorizationRequestInProgress = LocationDiagnostics(rawValue: 1 << 5)
  /// There is currently no position.
  ///
  /// As in Core Location. ``noReceiver`` or ``noFix`` is also set and shows the cause.
  public static let locationUnavailable = LocationDiagnostics(rawValue: 1 << 7)
  /// No receiver has delivered data, or the receiver is lost.
  ///
  /// Core Location has no such reason: its receiver is built in.
  public static let noReceiver = LocationDiagnostics(rawValue: 1 << 8)
  /// A receiver is connected but has no position yet.
  ///
  /// Core Location has no such reason.
  public static let noFix = LocationDiagnostics(rawValue: 1 << 9)
  /// The upgrade from "in use" to "always" was refused.
  ///
  /// Core Location has it only in the diagnostics of a service session. Differs from Core Location:
  /// the reason occurs in all diagnostics.
  public static let alwaysAuthorizationDenied = LocationDiagnostics(rawValue: 1 << 10)
  /// Full accuracy was refused.
  ///
  /// Core Location has it only in the diagnostics of a service session. Differs from Core Location:
  /// the reason occurs in all diagnostics.
  public static let fullAccuracyDenied = LocationDiagnostics(rawValue: 1 << 11)
  /// The program's request states no purpose and was ignored: a bug in the program.
  ///
  /// Core Location silently ignores a request without a usage description in `Info.plist`.
  public static let purposeMissing = LocationDiagnostics(rawValue: 1 << 12)
  /// The board has not moved for a while; updates continue.
  ///
  /// In Core Location, `stationary` means that updates have stopped until the device moves. Differs
  /// from Core Location: updates continue and show that the board is still working.
  public static let stationary = LocationDiagnostics(rawValue: 1 << 13)
  /// The location daemon does not respond, or this program may not connect to it.
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
    (.alwaysAuthorizationDenied, "access at any time was refused"),
    (.fullAccuracyDenied, "full accuracy was refused"), (.purposeMissing, "no purpose stated"),
    (.stationary, "not moving"), (.daemonUnreachable, "the daemon does not answer"),
  ]

  /// The reasons as text, separated by commas; empty if there are none.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
