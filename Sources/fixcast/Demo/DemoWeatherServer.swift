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
  /// Where it can be asked.
  let baseURL: String
  private let channel: any Channel

  /// Starts to serve on a free port of the loopback interface.
  ///
  /// Throws where no port can be had.
  init(now: @escaping @Sendable () -> UTCTime = SystemClock.utcNow) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(DemoWeatherHandler(now: now))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    baseURL = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
  }

  /// Ends it; who asks afterwards is refused.
  func stop() async { try? await channel.close() }
}
