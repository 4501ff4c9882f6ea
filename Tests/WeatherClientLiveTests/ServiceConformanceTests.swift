// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Checks every provider in the service with every server failure.
///
/// The tests check that the error is specific and arrives within the deadline, that the number of
/// requests does not exceed the daily limit, and that lookups succeed after the failure ends.
@Suite("Every provider behind the service", .timeLimit(.minutes(5)))
struct ServiceConformanceTests {
  /// A provider's server with a failure, and a board with manual clocks.
  private final class Scene: Sendable {
    let seconds = Mutex<Int64>(0)
    let server: LoopbackServer
    private let subject: ProviderCase
    private let failure: FailureBox
    private let tlsProxy: TLSFront?
    /// The number of requests before the current lookup.
    private let previousRequestCount = Mutex(0)

    private init(
      _ subject: ProviderCase, _ failure: FailureBox, _ server: LoopbackServer,
      _ tlsProxy: TLSFront?
    ) {
      self.subject = subject
      self.failure = failure
      self.server = server
      self.tlsProxy = tlsProxy
    }

    static func use(
      _ subject: ProviderCase, _ failure: ServerFault?, _ body: (Scene) async throws -> Void
    ) async throws {
      let box = FailureBox(failure)
      let server = LoopbackServer { head, port in
        box.value.withLock { $0 }?.script(subject, head, port) ?? subject.script(head)
      }
      defer { server.stop() }
      guard failure == .wrongCertificateName else {
        return try await body(Scene(subject, box, server, nil))
      }
      try await TLSFront.use(before: server.port) {
        try await body(Scene(subject, box, server, $0))
      }
    }

    /// Ends the failure.
    func recover() {
      failure.value.withLock { $0 = nil }
      tlsProxy?.useRightCertificate()
    }

    /// Waits until the deadline of a lookup must pass.
    ///
    /// If the server sends a slow body, the deadline passes after the first request. In all other
    /// cases, the lookup ends before the deadline, so this method does not return.
    private func waitForDeadline() async {
      let hasSlowBody = failure.value.withLock { $0 == .slowBody }
      await server.heads.wait(for: hasSlowBody ? previousRequestCount.withLock { $0 } + 1 : .max)
    }

    func service(dailyBudget: Int) throws -> WeatherService {
      let clock = PromptedClock { [self] in await waitForDeadline() }
      return WeatherService(
        sources: [
          WeatherService.Source(
            try subject.provider(tlsProxy?.baseURL ?? server.baseURL), dailyBudget: dailyBudget)
        ], storePath: nil,
        lookup: Exchange.lookup(
          .seconds(15), clock: clock, certificates: tlsProxy?.certificates),
        now: { [self] in
          seconds.withLock {
            BootTimestamp(utcSeconds: 1_795_262_400 + $0, bootSeconds: 1000 + $0, boot: "boot")
          }
        }, generator: SeededGenerator(seed: 3))
    }

    /// Looks up the weather, and removes the provider's name from the error.
    func lookUp(
      _ service: WeatherService, at place: Coordinate
    ) async -> Result<WeatherReport, WeatherError> {
      previousRequestCount.withLock { $0 = server.requests.count }
      do throws(WeatherError) {
        return .success(try await service.weather(at: place))
      } catch {
        return .failure(error.cause)
      }
    }
  }

  private final class FailureBox: Sendable {
    let value: Mutex<ServerFault?>
    init(_ failure: ServerFault?) { value = Mutex(failure) }
  }

  @Test(arguments: ProviderCase.all, ServerFault.allCases)
  func `a server that fails for a day receives no more requests than the daily limit`(
    subject: ProviderCase, failure: ServerFault
  ) async throws {
    try await Scene.use(subject, failure) { scene in
      let budget = subject.answers.count
      let service = try scene.service(dailyBudget: budget)
      for step in 0..<72 {
        // Every lookup is far from all previous lookups, so no stored report is used.
        _ = await scene.lookUp(service, at: .near(50 + Double(step) / 10, 10))
        scene.seconds.withLock { $0 += 1200 }
      }
      #expect(scene.server.requests.count <= budget)
      #expect(failure != .wrongCertificateName || scene.server.requests.isEmpty)
      // Check a lookup on the next day, without the failure.
      scene.recover()
      scene.seconds.withLock { $0 += 90_000 }
      #expect(
        try await scene.lookUp(service, at: Exchange.coordinate).get().provider == subject.type.name
      )
    }
  }

  @Test(arguments: ProviderCase.all)
  func `no lookup exceeds a daily limit that is too low for one lookup`(subject: ProviderCase) async throws {
    for budget in 1...subject.answers.count {
      try await Scene.use(subject, nil) { scene in
        let service = try scene.service(dailyBudget: budget)
        for step in 0..<4 {
          _ = await scene.lookUp(service, at: .near(50 + Double(step), 10))
          scene.seconds.withLock { $0 += 3700 }
        }
        #expect(scene.server.requests.count <= budget, "\(budget)")
      }
    }
  }

  @Test(arguments: ProviderCase.all, ServerFault.allCases)
  func `a server failure causes a specific error; lookups succeed within 66 minutes of recovery`(
    subject: ProviderCase, failure: ServerFault
  ) async throws {
    try await Scene.use(subject, failure) { scene in
      let service = try scene.service(dailyBudget: 500)
      var answer = await scene.lookUp(service, at: Exchange.coordinate)
      switch answer {
      case .failure(let error):
        #expect(failure.allows(error), "\(error)")
      case .success(let report):
        // A reply without numbers may still become a report if the reply contains texts.
        #expect(failure == .missingValues && report.now.temperatureDegreesCelsius == nil)
      }
      #expect(scene.server.requests.isEmpty == (failure == .wrongCertificateName))
      scene.recover()
      var minutes = 0
      while case .failure = answer, minutes < 66 {
        scene.seconds.withLock { $0 += 60 }
        minutes += 1
        answer = await scene.lookUp(service, at: Exchange.coordinate)
      }
      #expect(try answer.get().provider == subject.type.name, "after \(minutes) minutes")
    }
  }
}

/// A clock on which every sleep ends when `prompt` returns.
private struct PromptedClock: Clock {
  let prompt: @Sendable () async -> Void
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    await prompt()
    try Task.checkCancellation()
  }
}
