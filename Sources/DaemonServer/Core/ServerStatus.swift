// SPDX-License-Identifier: Apache-2.0

/// The daemon's status as compact JSON, in a public and a full version.
///
/// The full version contains error texts, which may reveal the location, for example in the URL of
/// a weather request.
package struct ServerStatus: Equatable, Sendable {
  /// The object for all clients.
  ///
  /// Does not reveal the location.
  package var forEverybody: [UInt8]
  /// The object for root and clients with full accuracy.
  package var forFullAccuracy: [UInt8]

  /// Creates a status.
  ///
  /// If the full version is `nil`, the public version is also used for full accuracy.
  package init(forEverybody: [UInt8] = [], forFullAccuracy: [UInt8]? = nil) {
    self.forEverybody = forEverybody
    self.forFullAccuracy = forFullAccuracy ?? forEverybody
  }
}
