// SPDX-License-Identifier: Apache-2.0

/// The user and system unit of a connection's process, which limits are counted by.
///
/// A service that shares its user with another is not starved by it.
struct ConnectionOwner: Hashable, Sendable {
  var userID: UInt32
  var systemUnit: String?
}
