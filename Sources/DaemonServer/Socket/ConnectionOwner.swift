// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

/// The user and the system unit of the process that opened a connection.
///
/// Limits apply to each owner.
///
/// The unit is included so that services with the same user do not share one limit.
struct ConnectionOwner: Hashable, Sendable {
  var userID: UInt32
  var systemUnit: String?

  /// The owner of all connections of browsers over TCP, whose users are known only after the request.
  static let browsers = ConnectionOwner(userID: .max, systemUnit: "web")
}

extension ConnectionOwner {
  init(_ client: ClientIdentity) {
    self.init(userID: client.userID, systemUnit: client.systemUnit)
  }
}
