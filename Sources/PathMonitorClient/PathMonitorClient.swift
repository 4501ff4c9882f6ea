// SPDX-License-Identifier: Apache-2.0

/// A monitor of the network path as a value that a feature is given.
///
/// Nobody starts, cancels or keeps it: it runs while someone listens.
public struct PathMonitorClient: Sendable {
  /// Starts to listen.
  ///
  /// Each call is a subscription of its own and begins with the present path; equal paths do not
  /// repeat. The monitor starts with the first and stops after the last.
  public var networkPaths: @Sendable () -> AsyncStream<NetworkPath>

  /// Makes a client.
  public init(networkPaths: @escaping @Sendable () -> AsyncStream<NetworkPath>) {
    self.networkPaths = networkPaths
  }
}
