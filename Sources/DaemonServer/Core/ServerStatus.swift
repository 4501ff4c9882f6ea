// SPDX-License-Identifier: Apache-2.0

/// The daemon's status, in a public and a full version: compact JSON, or metrics for Prometheus.
///
/// The full version contains error texts, which may reveal the location, for example in the URL of
/// a weather request.
package struct ServerStatus: Equatable, Sendable {
  /// The object or the metrics for all clients.
  ///
  /// Does not reveal the location.
  package var forEverybody: [UInt8]
  /// The object or the metrics for root and clients with full accuracy.
  package var forFullAccuracy: [UInt8]
  /// Whether metrics for clients with full accuracy contain the position.
  package var includesPosition = false

  /// Creates a status.
  ///
  /// If the full version is `nil`, the public version is also used for full accuracy.
  package init(forEverybody: [UInt8] = [], forFullAccuracy: [UInt8]? = nil) {
    self.forEverybody = forEverybody
    self.forFullAccuracy = forFullAccuracy ?? forEverybody
  }
}
