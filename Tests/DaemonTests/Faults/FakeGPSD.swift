// SPDX-License-Identifier: Apache-2.0

import Positioning
import Synchronization

@testable import Receivers

/// A simulated gpsd with one receiver, which can be killed and restarted.
///
/// The client runs a real `GPSDSession`; only the socket is simulated.
final class FakeGPSD: Sendable {
  private struct State {
    var isUp = true
    var client: AsyncStream<GPSDSession.Event>.Continuation?
  }

  private struct Client: FixSource {
    let name = "gpsd:localhost"
    let server: FakeGPSD

    func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async {
      let (events, continuation) = AsyncStream.makeStream(of: GPSDSession.Event.self)
      var session = GPSDSession(address: "localhost", seed: 1)
      var timer: Task<Void, Never>?
      server.perform(session.start(), continuation, deliver)
      for await next in events {
        server.perform(session.handle(next, at: server.now()), continuation, deliver)
        timer?.cancel()
        timer = session.deadline.map { deadline in
          let wait = Duration.nanoseconds(max(1, deadline.nanoseconds - server.now().nanoseconds))
          return Task { [clock = server.clock] in
            if (try? await clock.sleep(for: wait)) != nil { continuation.yield(.tick) }
          }
        }
      }
      timer?.cancel()
    }
  }

  static let device = "/dev/ttyUSB9"

  let clock: any Clock<Duration>
  let now: @Sendable () -> MonotonicTime
  private let state = Mutex(State())

  init(clock: any Clock<Duration>, now: @escaping @Sendable () -> MonotonicTime) {
    self.clock = clock
    self.now = now
  }

  func source() -> any FixSource { Client(server: self) }

  func start() { state.withLock { $0.isUp = true } }

  func kill() {
    let client = state.withLock { state in
      state.isUp = false
      defer { state.client = nil }
      return state.client
    }
    client?.yield(.readFailed)
  }

  /// Reports an epoch to the connected client.
  func send(_ time: UTCTime, _ coordinate: Coordinate) {
    guard let client = state.withLock({ $0.client }) else { return }
    var report = FixReport(kind: FixReport.gpsdKind)
    report.mode = .threeDimensional
    report.hasSolution = true
    report.coordinate = coordinate
    report.speedMetersPerSecond = 30
    (report.date, report.timeOfDay) = (time.date, time.timeOfDay)
    client.yield(.report(.position(device: Self.device, report)))
    client.yield(.waitForConsumers)
  }

  private func perform(
    _ actions: [GPSDSession.Action], _ continuation: AsyncStream<GPSDSession.Event>.Continuation,
    _ deliver: (FixSourceEvent) -> Void
  ) {
    for action in actions {
      switch action {
      case .deliver(let event): deliver(event)
      case .connect:
        let isUp = state.withLock { state in
          if state.isUp { state.client = continuation }
          return state.isUp
        }
        guard isUp else {
          continuation.yield(.connectFailed(.refused(isLoopback: true)))
          continue
        }
        continuation.yield(.connected)
        continuation.yield(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
      case .close: state.withLock { $0.client = nil }
      case .watch, .probe:
        let receiver = ReceiverInfo(name: Self.device, isActive: true)
        continuation.yield(.report(.devices([receiver])))
      case .requestVersion: break
      }
    }
  }
}
