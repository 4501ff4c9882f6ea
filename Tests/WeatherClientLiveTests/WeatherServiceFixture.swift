// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Weather services of a board with manual clocks, a store and loopback servers.
struct WeatherServiceFixture {
  /// The manual clocks and the disk of a board.
  final class FakeBoard: Sendable {
    private let seconds = Mutex<Int64>(0)
    static let start: Int64 = 1_795_262_400
    let folder: ScratchFolder
    private let servers = Mutex<[LoopbackServer]>([])

    init(folder: consuming ScratchFolder) { self.folder = folder }

    deinit { for server in servers.withLock({ $0 }) { server.stop() } }

    func add(_ server: LoopbackServer) { servers.withLock { $0.append(server) } }

    var now: BootTimestamp {
      seconds.withLock {
        BootTimestamp(utcSeconds: Self.start + $0, bootSeconds: 1000 + $0, boot: "boot")
      }
    }

    func advance(_ more: Int64) { seconds.withLock { $0 += more } }
  }

  static let goodText = """
    {"latitude":54,"longitude":10,"utc_offset_seconds":0,
    "current_units":{"temperature_2m":"°C","wind_speed_10m":"m/s","precipitation":"mm"},
    "current":{"time":1795262400,"interval":900,"temperature_2m":11.5}}
    """
  static let good = LoopbackServer.Script.answer(goodText)

  let board: FakeBoard
  var path: String { board.folder.path + "/weather.sqlite" }

  init() throws { board = FakeBoard(folder: try ScratchFolder()) }

  /// Starts a server, which runs until it is stopped or the test ends.
  func server(
    _ script: @escaping @Sendable (_ port: UInt16) -> LoopbackServer.Script = { _ in good }
  ) -> LoopbackServer {
    let server = LoopbackServer(script)
    board.add(server)
    return server
  }

  func openMeteo(_ server: LoopbackServer) -> OpenMeteo {
    OpenMeteo(WeatherProviderConfiguration(baseURL: server.baseURL))
  }

  func metNorway(_ server: LoopbackServer) throws -> METNorway {
    try METNorway(WeatherProviderConfiguration(baseURL: server.baseURL, contact: "https://example.invalid"))
  }

  func service(
    _ providers: any WeatherProvider..., store: String? = nil, dailyBudget: Int = 500,
    deadline: Duration = Exchange.longDeadline,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) -> WeatherService {
    WeatherService(
      sources: providers.map { WeatherService.Source($0, dailyBudget: dailyBudget) },
      storePath: store, lookup: Exchange.lookup(deadline),
      now: { [board] in board.now }, generator: SeededGenerator(seed: 1), notice: notice)
  }

  /// Returns the service of a program that shares the store.
  func program(_ provider: any WeatherProvider) -> WeatherService {
    service(provider, store: path)
  }
}
