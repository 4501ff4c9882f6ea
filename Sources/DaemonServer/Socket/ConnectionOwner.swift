// SPDX-License-Identifier: Apache-2.0

/// The user and the system unit of the process that opened a connection.
///
/// Limits apply to each owner.
///
/// The unit is included so that services with the same user do not share one limit.
struct ConnectionOwner: Hashable, Sendable {
  var userID: UInt32
  var systemUnit: String?
}
