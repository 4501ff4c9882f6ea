// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import Positioning
import SystemSupport

/// A weather provider of the demo's own: Open-Meteo's protocol over real HTTP on loopback.
///
/// On what the lookups bring along already: a server of somebody else's would make a tenth of the
/// program, for the demo alone.
struct DemoWeatherServer: Sendable {
  private let now: @Sendable () -> UTCTime

  /// Makes a server that listens to nothing yet.
  ///
  /// - Parameter now: The present time, which the weather depends on.
  init(now: @escaping @Sendable () -> UTCTime = SystemClock.utcNow) { self.now = now }

  /// Serves on a free port of the loopback interface until cancelled.
  ///
  /// - Parameter ready: Told the base URL once it can be asked.
  /// - Throws: Where no port can be had.
  func run(ready: @escaping @Sendable (_ baseURL: String) -> Void) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [now] channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(DemoWeatherHandler(now: now))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    await withTaskCancellationHandler {
      if let port = server.localAddress?.port { ready("http://127.0.0.1:\(port)") }
      // Being cancelled is how it ends, and no error.
      try? await server.closeFuture.get()
    } onCancel: {
      server.close(promise: nil)
    }
  }
}
