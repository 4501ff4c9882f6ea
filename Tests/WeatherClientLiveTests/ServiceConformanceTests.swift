// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// What holds for every provider behind the service, whatever its server does: an error that says
/// what it was, within the deadline; the budget is kept, and no lookup is lost that would be due.
@Suite("Every provider behind the service", .timeLimit(.minutes(5)))
struct ServiceConformanceTests {
  /// A provider's server in trouble, and a board whose clocks the test moves.
  private final class Scene: Sendable {
    let seconds = Mutex<Int64>(0)
    let server: LoopbackServer
    private let subject: ProviderCase
    private let trouble: TroubleBox
    private let front: TLSFront?
    /// How many requests there were when the present lookup began.
    private let before = Mutex(0)

    private init(
      _ subject: ProviderCase, _ trouble: TroubleBox, _ server: LoopbackServer, _ front: TLSFront?
    ) {
      self.subject = subject
      self.trouble = trouble
      self.server = server
      self.front = front
    }

    static func use(
      _ subject: ProviderCase, _ trouble: Trouble?, _ body: (Scene) async throws -> Void
    ) async throws {
      let box = TroubleBox(trouble)
      let server = LoopbackServer { head, port in
        box.value.withLock { $0 }?.script(subject, head, port) ?? subject.script(head)
      }
      defer { server.stop() }
      guard trouble == .wrongName else {
        return try await body(Scene(subject, box, server, nil))
      }
      try await TLSFront.use(before: server.port) {
        try await body(Scene(subject, box, server, $0))
      }
    }

    func heal() {
      trouble.value.withLock { $0 = nil }
      front?.mend()
    }

    /// The deadline comes when a server drips and has begun to, and else not at all: what ends
    /// otherwise ends within it.
    private func deadline() async {
      let isDripping = trouble.value.withLock { $0 == .dripping }
      await server.heads.wait(for: isDripping ? before.withLock { $0 } + 1 : .max)
    }

    func service(dailyBudget: Int) throws -> WeatherService {
      let clock = PromptedClock { [self] in await deadline() }
      return WeatherService(
        sources: [
          WeatherService.Source(
            try subject.provider(front?.baseURL ?? server.baseURL), dailyBudget: dailyBudget)
        ], storePath: nil,
        lookup: Exchange.lookup(
          .seconds(15), clock: clock, certificates: front?.certificates),
        now: { [self] in
          seconds.withLock {
            BootTimestamp(utcSeconds: 1_795_262_400 + $0, bootSeconds: 1000 + $0, boot: "boot")
          }
        }, generator: SeededGenerator(seed: 3))
    }

    /// Asks; the error is what the provider failed with, without its name.
    func ask(
      _ service: WeatherService, at place: Coordinate
    ) async -> Result<WeatherReport, WeatherError> {
      before.withLock { $0 = server.requests.count }
      do throws(WeatherError) {
        return .success(try await service.weather(at: place))
      } catch {
        return .failure(error.cause)
      }
    }
  }

  private final class TroubleBox: Sendable {
    let value: Mutex<Trouble?>
    init(_ trouble: Trouble?) { value = Mutex(trouble) }
  }

  @Test(
    "a day of trouble costs no more requests than the budget, the first lookup's among them",
    arguments: ProviderCase.all, Trouble.allCases)
  func budget(subject: ProviderCase, trouble: Trouble) async throws {
    try await Scene.use(subject, trouble) { scene in
      let budget = subject.answers.count
      let service = try scene.service(dailyBudget: budget)
      for step in 0..<72 {
        // Every one would be due: of a cell far from all before.
        _ = await scene.ask(service, at: .near(50 + Double(step) / 10, 10))
        scene.seconds.withLock { $0 += 1200 }
      }
      #expect(scene.server.requests.count <= budget)
      #expect(trouble != .wrongName || scene.server.requests.isEmpty)
      // The day is over, and so is the trouble.
      scene.heal()
      scene.seconds.withLock { $0 += 90_000 }
      #expect(
        try await scene.ask(service, at: Exchange.place).get().provider == subject.type.name)
    }
  }

  @Test("a small budget is kept by a lookup of several requests", arguments: ProviderCase.all)
  func smallBudget(subject: ProviderCase) async throws {
    for budget in 1...subject.answers.count {
      try await Scene.use(subject, nil) { scene in
        let service = try scene.service(dailyBudget: budget)
        for step in 0..<4 {
          _ = await scene.ask(service, at: .near(50 + Double(step), 10))
          scene.seconds.withLock { $0 += 3700 }
        }
        #expect(scene.server.requests.count <= budget, "\(budget)")
      }
    }
  }

  @Test(
    "trouble has its name in time, and the lookup is made within an hour and a bit when it is over",
    arguments: ProviderCase.all, Trouble.allCases)
  func notLost(subject: ProviderCase, trouble: Trouble) async throws {
    try await Scene.use(subject, trouble) { scene in
      let service = try scene.service(dailyBudget: 500)
      var answer = await scene.ask(service, at: Exchange.place)
      switch answer {
      case .failure(let error):
        #expect(trouble.explains(error), "\(error)")
      case .success(let report):
        // Where numbers are missing, what is said in words may be a report.
        #expect(trouble == .missingValues && report.now.temperatureDegreesCelsius == nil)
      }
      #expect(scene.server.requests.isEmpty == (trouble == .wrongName))
      scene.heal()
      var minutes = 0
      while case .failure = answer, minutes < 66 {
        scene.seconds.withLock { $0 += 60 }
        minutes += 1
        answer = await scene.ask(service, at: Exchange.place)
      }
      #expect(try answer.get().provider == subject.type.name, "after \(minutes) minutes")
    }
  }
}

/// A clock whose sleeps last until it is told, or until whoever sleeps is cancelled.
private struct PromptedClock: Clock {
  let prompt: @Sendable () async -> Void
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    await prompt()
    try Task.checkCancellation()
  }
}
