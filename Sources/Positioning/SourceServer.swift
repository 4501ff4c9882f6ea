// SPDX-License-Identifier: Apache-2.0

/// The server that a source reads from, such as gpsd.
public struct SourceServer: Equatable, Hashable, Sendable {
  /// The address, such as `localhost:2947`.
  public var address: String
  /// The version stated by the server; `nil` if it states none.
  public var release: String?

  /// Makes a server.
  public init(address: String, release: String? = nil) {
    self.address = address
    self.release = release
  }
}
