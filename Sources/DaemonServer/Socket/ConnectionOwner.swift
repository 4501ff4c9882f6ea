// SPDX-License-Identifier: Apache-2.0

/// The user and system unit of a connection's process, to which limits apply.
///
/// The unit is included so that services with the same user do not share one limit.
struct ConnectionOwner: Hashable, Sendable {
  var userID: UInt32
  var systemUnit: String?
}
