// SPDX-License-Identifier: Apache-2.0

public import LocationServices
internal import Positioning

/// A client's authorization: an `AUTH` object.
///
///     {"class":"AUTH","status":"notDetermined","accuracy":"full","pending":true}
///
/// Unknown values of `status` and `accuracy` are read as "restricted" and "reduced".
public struct DaemonAuthorization: Hashable, Sendable {
  /// The current authorization, including temporary full accuracy.
  public var authorization: Authorization
  /// Whether an authorization request is waiting for an operator's decision.
  public var isPending: Bool
  /// Whether location is switched off for the whole board.
  public var isDeniedGlobally: Bool

  /// Creates an authorization.
  public init(
    _ authorization: Authorization, isPending: Bool = false, isDeniedGlobally: Bool = false
  ) {
    self.authorization = authorization
    self.isPending = isPending
    self.isDeniedGlobally = isDeniedGlobally
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
    line.endObject()
    line.endLine()
    return line.bytes
  }

  struct Wire: Decodable {
    var status: String
    var accuracy: String?
    var pending: Bool?
    var deniedGlobally: Bool?

    func value() -> DaemonAuthorization {
      let known = AuthorizationStatus.allCases.first { "\($0)" == status }
      return DaemonAuthorization(
        Authorization(
          known ?? .restricted, accuracy: accuracy == "full" ? .fullAccuracy : .reducedAccuracy),
        isPending: pending ?? false, isDeniedGlobally: deniedGlobally ?? false)
    }
  }
}
