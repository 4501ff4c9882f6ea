// SPDX-License-Identifier: Apache-2.0

internal import ServiceLifecycle

/// One long-lived part of the daemon, under the group that starts and ends all of them.
///
/// One that ends unasked is a failure: an orderly end would be the end of the daemon for whoever
/// starts it anew after failures alone.
struct DaemonService: Service, CustomStringConvertible {
  /// What it is called in the log.
  let description: String
  private let body: @Sendable () async throws -> Void

  /// Makes a part that is simply cancelled when the daemon is to end.
  init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
    description = name
    self.body = { try await cancelWhenGracefulShutdown(body) }
  }

  /// Makes a part that comes to its own end.
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
      throw DaemonFailure.part("\(description): ended by itself, which it never should")
    }
  }
}
