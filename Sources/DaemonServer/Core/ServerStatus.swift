// SPDX-License-Identifier: Apache-2.0

/// What the daemon says of itself, as one compact object for each of two kinds of readers.
///
/// The text of an error may hold a place, as in the address that a provider was asked at.
package struct ServerStatus: Equatable, Sendable {
  /// For whoever may talk to the daemon at all: nothing in it says where the board is.
  package var forEverybody: [UInt8]
  /// For root, and for whoever may know precisely where the board is.
  package var forFullAccuracy: [UInt8]

  /// Makes it.
  ///
  /// - Parameters:
  ///   - forEverybody: The object for whoever may talk to the daemon at all.
  ///   - forFullAccuracy: The object for root and whoever may know precisely; the same where `nil`.
  package init(forEverybody: [UInt8] = [], forFullAccuracy: [UInt8]? = nil) {
    self.forEverybody = forEverybody
    self.forFullAccuracy = forFullAccuracy ?? forEverybody
  }
}
