// SPDX-License-Identifier: Apache-2.0

/// The program that a source reads from, where that is another than itself: a gpsd.
public struct SourceServer: Equatable, Hashable, Sendable {
  /// Where it is, such as `localhost:2947`.
  public var address: String
  /// What it calls its version; `nil` where it says nothing.
  public var release: String?

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - address: Where it is.
  ///   - release: What it calls its version.
  public init(address: String, release: String? = nil) {
    self.address = address
    self.release = release
  }
}
