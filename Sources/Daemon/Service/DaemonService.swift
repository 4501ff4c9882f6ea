// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle

/// A long-running task of the daemon, run by the service group.
///
/// A service that ends before the shutdown throws an error. Otherwise the daemon would exit with
/// status 0, and systemd would not restart the daemon.
struct DaemonService: Service, CustomStringConvertible {
  /// The name in log messages.
  let description: String
  private let body: @Sendable () async throws -> Void

  /// Creates a service that is cancelled at shutdown.
  init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
    description = name
    self.body = { try await cancelWhenGracefulShutdown(body) }
  }

  /// Creates a service that is not cancelled at shutdown.
  ///
  /// Instead, `end` is called and must cause `body` to return.
  init(
    _ name: String, end: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    description = name
    self.body = {
      try await withGracefulShutdownHandler(operation: body, onGracefulShutdown: end)
    }
  }

  func run() async throws {
    try await body()
    guard Task.isShuttingDownGracefully || Task.isCancelled else {
      throw DaemonFailure.service("\(description): ended unexpectedly")
    }
  }
}
