// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Synchronization
import Testing
import WeatherClient

@testable import WeatherClientLive

/// What holds for every provider behind the service, whatever its server does: the budget is kept,
/// and no lookup is lost that would be due.
@Suite("Every provider behind the service", .timeLimit(.minutes(5)))
struct ServiceConformanceTests {
  private final class Scene: Sendable {
    let seconds = Mutex<Int64>(0)
    let server: LoopbackServer

    private let trouble: TroubleBox

    init(_ subject: ProviderCase, _ trouble: Trouble?) {
      let box = TroubleBox(trouble)
      self.trouble = box
      server = LoopbackServer { head, port in
        box.value.withLock { $0 }?.script(subject, head, port) ?? subject.script(head)
      }
    }

    func heal() { trouble.value.withLock { $0 = nil } }

    func service(_ subject: ProviderCase, dailyBudget: Int) throws -> WeatherService {
      WeatherService(
        sources: [
          WeatherService.Source(
            try subject.provider(server.baseURL), dailyBudget: dailyBudget)
        ], storePath: nil, lookup: Exchange.lookup(.milliseconds(1500)),
        now: { [self] in
          seconds.withLock {
            BoardTime(utcSeconds: 1_795_262_400 + $0, bootSeconds: 1000 + $0, boot: "boot")
          }
        }, generator: SeededGenerator(seed: 3))
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
    let scene = Scene(subject, trouble)
    defer { scene.server.stop() }
    let budget = subject.answers.count
    let service = try scene.service(subject, dailyBudget: budget)
    for step in 0..<72 {
      // Every one would be due: of a cell far from all before.
      _ = try? await service.weather(at: .at(50 + Double(step) / 10, 10))
      scene.seconds.withLock { $0 += 1200 }
    }
    #expect(scene.server.requests.count <= budget)
    for request in scene.server.requests { Exchange.expectCoarse(request) }
    // The day is over, and so is the trouble.
    scene.heal()
    scene.seconds.withLock { $0 += 90_000 }
    #expect(try await service.weather(at: Exchange.place).provider == subject.type.name)
  }

  @Test("a small budget is kept by a lookup of several requests", arguments: ProviderCase.all)
  func smallBudget(subject: ProviderCase) async throws {
    for budget in 1...subject.answers.count {
      let scene = Scene(subject, nil)
      defer { scene.server.stop() }
      let service = try scene.service(subject, dailyBudget: budget)
      for step in 0..<4 {
        _ = try? await service.weather(at: .at(50 + Double(step), 10))
        scene.seconds.withLock { $0 += 3700 }
      }
      #expect(scene.server.requests.count <= budget, "\(budget)")
    }
  }

  @Test(
    "a lookup that failed is made when the trouble is over, after an hour and a bit at most",
    arguments: ProviderCase.all, Trouble.allCases)
  func notLost(subject: ProviderCase, trouble: Trouble) async throws {
    let scene = Scene(subject, trouble)
    defer { scene.server.stop() }
    let service = try scene.service(subject, dailyBudget: 500)
    let first = try? await service.weather(at: Exchange.place)
    scene.heal()
    var answer = first
    var minutes = 0
    while answer == nil, minutes < 66 {
      scene.seconds.withLock { $0 += 60 }
      minutes += 1
      answer = try? await service.weather(at: Exchange.place)
    }
    #expect(answer?.provider == subject.type.name, "after \(minutes) minutes")
  }
}
