// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Positioning

/// A client's authorization: an `AUTH` object.
///
///     {"class":"AUTH","status":"notDetermined","accuracy":"full","pending":true,
///      "advice":"allow it with: sudo fixcast auth allow user=pi"}
///
/// Unknown values of `status` and `accuracy` are read as "restricted" and "reduced".
public struct DaemonAuthorization: Hashable, Sendable {
  /// The current authorization, including temporary full accuracy.
  public var authorization: Authorization
  /// Whether an authorization request is waiting for an operator's decision.
  public var isPending: Bool
  /// Whether location is switched off for the whole board.
  public var isDeniedGlobally: Bool
  /// The step that grants access, for users; `nil` if the client has access or needs no operator.
  public var advice: String?

  /// Creates an authorization.
  public init(
    _ authorization: Authorization, isPending: Bool = false, isDeniedGlobally: Bool = false,
    advice: String? = nil
  ) {
    self.authorization = authorization
    self.isPending = isPending
    self.isDeniedGlobally = isDeniedGlobally
    self.advice = advice
  }

  /// The object as JSON, with a newline.
  public var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 128)
    line.beginObject()
    line.constant("class", "AUTH")
    line.string("status", "\(authorization.status)")
    line.constant("accuracy", authorization.accuracy == .fullAccuracy ? "full" : "reduced")
    if isPending { line.boolean("pending", true) }
    if isDeniedGlobally { line.boolean("deniedGlobally", true) }
    line.string("advice", advice)
    line.endObject()
    line.endLine()
    return line.bytes
  }

  struct Wire: Decodable {
    var status: String
    var accuracy: String?
    var pending: Bool?
    var deniedGlobally: Bool?
    var advice: String?

    func value() -> DaemonAuthorization {
      let knownStatus = AuthorizationStatus.allCases.first { "\($0)" == status }
      return DaemonAuthorization(
        Authorization(
          knownStatus ?? .restricted,
          accuracy: accuracy == "full" ? .fullAccuracy : .reducedAccuracy),
        isPending: pending ?? false, isDeniedGlobally: deniedGlobally ?? false,
        advice: advice)
    }
  }
}
