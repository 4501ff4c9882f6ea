// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive
@testable import WeatherFeature

/// Tests properties of lookups with random fixes, replies, failures, restarts, reboots and clock
/// jumps.
///
/// ``LookupOracle`` checks these rules with the true time:
/// - At most one request runs at a time for each provider and for each cell.
/// - Lookups at one provider are at least a minute apart.
/// - No provider receives more requests than its daily limit in any 24 hours.
/// - No request is sent if a fresh report is stored for the cell or within reach.
/// - No expired report is returned.
/// - No provider is contacted during a back-off or a requested pause, or after a refusal.
/// - If a provider is available, a lookup contacts the first available provider.
/// - A program starts a lookup if the last report has expired or is for a point 5 km away.
@Suite("Lookups with random events", .oneAtATime, .timeLimit(.minutes(20)))
struct LookupPropertyTests {
  private typealias Ending = LookupEnvironment.Ending

  private enum Event: CustomStringConvertible {
    case move(Coordinate)
    case fix(Bool)
    case pass(Int64)
    case sleep(Int64)
    case waitUntilDue(Int, early: Int64)
    case end(Int, Ending)
    case setWallClock(Int64?)
    case restart(Int)
    case reboot(Int64, Int64?)

    var description: String {
      switch self {
      case .move(let place): "move to \(place.latitudeDegrees), \(place.longitudeDegrees)"
      case .fix(let hasFix): hasFix ? "fix acquired" : "fix lost"
      case .pass(let seconds): "\(seconds) s pass"
      case .sleep(let seconds): "suspend for \(seconds) s"
      case .waitUntilDue(let index, let early):
        "wait until \(early) s before program \(index) looks up"
      case .end(let index, let ending): "the request of program \(index) ends: \(ending)"
      case .setWallClock(let offset):
        "the wall clock is \(offset.map { "off by \($0) s" } ?? "not set")"
      case .restart(let index): "program \(index) is killed and restarted"
      case .reboot(let seconds, let offset):
        "reboot after \(seconds) s, wall clock \(offset.map { "off by \($0) s" } ?? "not set")"
      }
    }
  }

  /// A simulation with a generator of random events.
  private struct Sequence {
    var environment: LookupEnvironment
    var random: SeededGenerator
    let wallClockJumps: Bool
    private var visited: [Coordinate]

    init(number: UInt64, _ injectedBug: LookupEnvironment.InjectedBug?) {
      var random = SeededGenerator(seed: 0x7E57 << 32 | number)
      wallClockJumps = number % 2 == 1
      let home = Coordinate.at(
        .random(in: -60...60, using: &random), .random(in: -179...179, using: &random))
      let providers = ["a", "b", "c"].prefix(.random(in: 1...3, using: &random)).map { name in
        ProviderRules(
          name: name, dailyBudget: .random(in: 5...60, using: &random),
          requestsPerLookup: [1, 1, 2, 5].randomElement(using: &random) ?? 1)
      }
      let rules = LookupRules(
        providers: providers, decimals: [2, 2, 2, 1, 0].randomElement(using: &random) ?? 2,
        deadlineSeconds: Double(LookupEnvironment.deadlineSeconds))
      environment = LookupEnvironment(
        rules: rules, wallClockJumps: wallClockJumps, at: home, seed: number, injectedBug)
      visited = [home]
      self.random = random
    }

    private mutating func randomPlace() -> Coordinate {
      let old = visited.randomElement(using: &random) ?? environment.place
      if Int.random(in: 0..<5, using: &random) == 0 { return old }
      let meters = [30, 600, 2000, 4900, 5100, 12_000, 80_000].randomElement(using: &random) ?? 0
      let (north, east) = (
        Double.random(in: -1...1, using: &random) * Double(meters) / 111_000,
        Double.random(in: -1...1, using: &random) * Double(meters) / 70_000
      )
      let from = Bool.random(using: &random) ? environment.place : old
      let place = Coordinate.at(
        min(max(from.latitudeDegrees + north, -70), 70),
        min(max(from.longitudeDegrees + east, -179.9), 179.9))
      visited.append(place)
      return place
    }

    private mutating func randomOffset() -> Int64? {
      let days: [Int64?] = wallClockJumps ? [0, nil, -5, 5, -400, 40] : [0, nil]
      return (days.randomElement(using: &random) ?? 0).map { $0 * 86_400 }
    }

    private mutating func randomEnding() -> Ending {
      switch Int.random(in: 0..<40, using: &random) {
      case 0: .failure(.refused)
      case 1: .failure(.denied)
      case 2..<5: .cancelled
      case 5..<9: .failure(.unreachable)
      case 9..<13:
        .failure(
          .failed(retryAfterSeconds: [-1, 0, 5, 90, 4000, 1e9].randomElement(using: &random)))
      case 13..<18: .failure(.failed(retryAfterSeconds: nil))
      case 18..<20: .failure(.notServed)
      default:
        .report(
          expiresInSeconds: ([nil, -50, 20, 900, 4000, 90_000] as [Int64?])
            .randomElement(using: &random) ?? nil)
      }
    }

    mutating func event() -> Event {
      let index = Int.random(in: 0..<2, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<8: return .move(randomPlace())
      case 8..<14:
        return .pass([0, 1, 5, 14, 15, 59, 60, 61, 300, 1900].randomElement(using: &random) ?? 0)
      case 14..<17: return .sleep([70, 1900, 4000, 22_000].randomElement(using: &random) ?? 0)
      case 17: return .sleep(90_000)
      case 18..<24:
        return .waitUntilDue(index, early: [0, 0, 1].randomElement(using: &random) ?? 0)
      case 24..<35: return .end(index, randomEnding())
      case 35: return .setWallClock(randomOffset())
      case 36..<38: return .restart(index)
      case 38:
        return .reboot([1, 40, 4000].randomElement(using: &random) ?? 1, randomOffset())
      default: return .fix(Int.random(in: 0..<3, using: &random) > 0)
      }
    }

    mutating func apply(_ event: Event) {
      switch event {
      case .move(let place): environment.move(to: place)
      case .fix(let hasFix): environment.hasFix = hasFix
      case .pass(let seconds): environment.advance(seconds)
      case .sleep(let seconds): environment.sleep(seconds)
      case .waitUntilDue(let index, let early):
        let program = environment.programs[index]
        let secondsUntilDue = program.waiting.map {
          program.policy.secondsUntilDue(at: $0, now: environment.monotonicTime)
        }
        environment.advance(max(0, Int64(min(secondsUntilDue ?? 0, 7200).rounded(.up)) - early))
      case .end(let index, let ending): environment.endRequest(index, ending)
      case .setWallClock(let offset): environment.setWallClock(offset: offset)
      case .restart(let index): environment.restart(index)
      case .reboot(let seconds, let offset):
        environment.reboot(afterSeconds: seconds, offset: offset)
      }
    }
  }

  private struct Run {
    /// The shortest sequence that breaks a rule, with the message of the rule.
    var counterexample: (breach: String, events: [Event])?
    var requests = 0
    var events = 0
  }

  /// Runs random sequences and returns the shortest sequence that breaks a rule, or the first such
  /// sequence if `stopsAtFirst` is `true`.
  private static func run(
    sequences: UInt64, _ injectedBug: LookupEnvironment.InjectedBug? = nil,
    stopsAtFirst: Bool = false
  ) -> Run {
    var run = Run()
    var longest = 60
    for number in 0..<sequences {
      var sequence = Sequence(number: number, injectedBug)
      var events: [Event] = []
      while events.count < longest, sequence.environment.oracle.breach == nil {
        let event = sequence.event()
        events.append(event)
        sequence.apply(event)
      }
      run.requests += sequence.environment.oracle.requests
      run.events += events.count
      let breach = sequence.environment.oracle.breach ?? breachInQuietPeriod(&sequence.environment)
      guard let breach else { continue }
      run.counterexample = ("sequence \(number): \(breach)", events)
      if stopsAtFirst { break }
      longest = events.count - 1
    }
    return run
  }

  /// Simulates two days with a fix and without failures, and returns a broken rule, if any.
  ///
  /// Detects lookups that never start, and providers that are never contacted again.
  private static func breachInQuietPeriod(_ environment: inout LookupEnvironment) -> String? {
    func end(_ ending: Ending) { for index in 0..<2 { environment.endRequest(index, ending) } }
    environment.hasFix = true
    end(.cancelled)
    // Repeat, since a pause of unknown age starts again when the ledger is read.
    for _ in 0..<2 {
      environment.sleep(100_000)
      for _ in 0..<3 {
        end(.report(expiresInSeconds: nil))
        environment.advance(61)
      }
    }
    return environment.oracle.breach
  }

  private static func text(_ run: Run) -> String {
    guard let counterexample = run.counterexample else { return "" }
    return ([counterexample.breach] + counterexample.events.map(\.description)).joined(
      separator: "\n")
  }

  @Test func `in random sequences of sixty events, lookups break no rule of LookupOracle`() {
    let sequences = RandomInputs.count(10_000 as UInt64)
    let run = Self.run(sequences: sequences)
    #expect(run.counterexample == nil, "\(Self.text(run))")
    // Check that there were enough requests to test the rules.
    #expect(
      run.events == 60 * sequences && run.requests > 10 * sequences, "\(run.requests) requests")
  }

  @Test(arguments: LookupEnvironment.InjectedBug.allCases)
  func `LookupOracle detects every injected bug`(_ injectedBug: LookupEnvironment.InjectedBug) {
    let run = Self.run(sequences: 10_000, injectedBug, stopsAtFirst: true)
    #expect(run.counterexample != nil)
  }

  @Test func `on a drive of 300 km, two programs together make one lookup per five kilometres`() {
    let rules = LookupRules(
      providers: [ProviderRules(name: "a", dailyBudget: 500)], decimals: 2, deadlineSeconds: 15)
    var environment = LookupEnvironment(
      rules: rules, wallClockJumps: false, at: .at(50.123456, 8.654321), seed: 1, nil)
    // 20 m/s to the north-east with a fix every second; a request takes two seconds.
    for step in 0..<15_000 {
      let degrees = Double(step) * 20 / 111_320 * 0.7071
      environment.move(to: .at(50.123456 + degrees, 8.654321 + degrees / 0.62))
      environment.advance(1)
      if step % 2 == 0 {
        for index in 0..<2 { environment.endRequest(index, .report(expiresInSeconds: nil)) }
      }
    }
    #expect(environment.oracle.breach == nil, "\(environment.oracle.breach ?? "")")
    let lookups = environment.oracle.lookupCount
    #expect((55...65).contains(lookups), "\(lookups) lookups")
    #expect(
      environment.reports.count == lookups, "\(environment.reports.count) cells, \(lookups) lookups"
    )
  }
}
