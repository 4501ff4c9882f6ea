// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOPosix
import Positioning
import SystemSupport

/// A simulated weather provider: Open-Meteo's protocol over HTTP on the loopback interface.
///
/// Uses SwiftNIO, which the program links anyway for the lookups. An HTTP server library would make
/// the program a tenth larger.
struct DemoWeatherServer: Sendable {
  /// The URL for requests.
  let baseURL: String
  private let channel: any Channel

  /// Starts the server on a free port of the loopback interface.
  ///
  /// - Throws: The error of binding the port.
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

  /// Stops the server; later connections are refused.
  func stop() async { try? await channel.close() }
}
