// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

/// A program that requests access, and an operator who answers in a shell.
@Suite(.timeLimit(.minutes(5))) struct AuthOverTheShellTests {
  @Test func `a locate request is listed, is granted by the printed command, and expires with --for`() async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    let locate = ["locate", "--source", board.source, "--timeout", "60"]
    let lines = try await ChildProcess.use(
      path: Program.path, arguments: locate, environment: board.environment
    ) { [me = board.me, root = board.root, environment = board.environment] program in
      let requests = await program.lines.wait { $0.contains { $0.contains("grant it with: ") } }
      let line = try #require(requests.first { $0.contains("grant it with: ") })
      let command = try #require(
        line.components(separatedBy: "grant it with: ").last?.components(separatedBy: ", or").first)
      #expect(command == "fixcast auth allow \(me) --root \(root)")

      let pending = try await Program.run("auth", "pending", environment: environment)
      #expect(pending.lines.first?.hasPrefix("\(me)  while in use") == true, "\(pending.lines)")
      #expect(pending.lines.first?.hasSuffix("fixcast locate") == true)
      #expect(pending.lines.last == "  -> \(command)")

      let words = command.split(separator: " ").dropFirst().map(String.init) + ["--for", "2m"]
      let answer = try await ChildProcess.use(path: Program.path, arguments: words) {
        (await $0.wait(), $0.lines.events)
      }
      #expect(answer.0 == 0, "\(answer.1)")
      #expect(await program.wait() == 0)
      return program.lines.events
    }
    #expect(lines.contains { $0.hasPrefix("position  51.5") }, "\(lines)")
    #expect(try await board.auth("pending").lines == ["no requests are waiting"])
    // Access is already granted, so this command makes no request.
    #expect(try await board.run(locate).lines.contains { $0.hasPrefix("position") })

    #expect(try await board.auth("allow", board.me, "--for", "1s").code == 0)
    var codes: [Int32] = []
    // The grant expires during one of these runs. The number of runs depends on the machine.
    for _ in 0..<100 where codes.last != 77 {
      codes.append(try await board.run(["locate", "--source", board.source, "--timeout", "1"]).code)
    }
    #expect(codes.last == 77, "\(codes)")

    #expect(try await board.auth("deny", board.me).code == 0)
    let denied = try await board.run(locate)
    #expect(denied.code == 77)
    #expect(denied.lines.last?.contains("allow it with: fixcast auth allow \(board.me)") == true)
  }

  @Test func `without rules and answers, locate gets a position and creates no file`() async throws {
    let board = try AuthFixture()
    let result = try await board.run(["locate", "--source", board.source])
    #expect(result.code == 0)
    #expect(access(board.storeFile, F_OK) != 0)
  }

  @Test(arguments: ["deny", "lock", "switch"])
  func `a watch that started without a decision reports and logs the first denial`(kind: String) async throws {
    let board = try AuthFixture()
    try await ChildProcess.use(
      path: Program.path,
      arguments: ["watch", "--source", board.source, "--no-weather", "--json", "--seconds", "30"],
      environment: board.environment
    ) { [me = board.me, environment = board.environment, root = board.root] program in
      _ = await program.lines.wait { $0.contains { $0.contains(#""lat":"#) } }
      switch kind {
      case "deny": _ = try await Program.run("auth", "deny", me, environment: environment)
      case "switch":
        _ = try await Program.run("auth", "deny", "everyone", environment: environment)
      default:
        try Data("lock everyone\n".utf8).write(to: URL(filePath: root + "/etc/fixcast/policy.d/00-lock.conf"))
      }
      let status = kind == "lock" ? "restricted" : "denied"
      let change = #""class":"AUTH","status":"\#(status)""#
      let lines = await program.lines.wait {
        $0.contains { $0.contains(change) || $0.contains(#""class":"END""#) }
      }
      #expect(lines.contains { $0.contains(change) }, "\(lines.suffix(3))")
    }
    let log = try board.read("\(board.root)/var/lib/fixcast/audit.jsonl")
    #expect(log.contains(#""event":"revoked""#), "\(log)")
  }

  @Test(arguments: [["--once"], ["--reduced", "--for", "3s"]])
  func `without rules, an expired answer denies access until the answer is reset`(words: [String]) async throws {
    let board = try AuthFixture()
    let locate = ["locate", "--source", board.source, "--timeout", "5"]
    #expect(try await board.run(["auth", "allow", board.me] + words).code == 0)
    var results: [(lines: [String], code: Int32)] = []
    // With --for, the first run after three seconds is denied.
    for _ in 0..<100 where results.last?.code != 77 { results.append(try await board.run(locate)) }
    #expect(results.last?.code == 77, "\(results)")
    #expect(results.last?.lines.contains { $0.contains("fixcast auth allow \(board.me)") } == true)
    if words.contains("--once") { #expect(results.map(\.code) == [0, 77]) }
    #expect(try await board.auth("reset", board.me).code == 0)
    #expect(try await board.run(locate).code == 0)
  }

  @Test func `reduced accuracy applies to locate, and a one-time grant serves one run`() async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    _ = try await board.auth("allow", board.me, "--reduced", "--once")
    let words = ["locate", "--source", board.source, "--json", "--timeout"]
    let first = try await board.run(words + ["20"])
    #expect(first.code == 0, "\(first.lines)")
    let object = try #require(first.lines.first { $0.hasPrefix("{") })
    #expect(!object.contains("speed") && !object.contains("altMSL"), "\(object)")
    // The exact age would reveal the exact time.
    #expect(object.contains(#""time":""#) && !object.contains(#""age":"#), "\(object)")
    // No operator answers the second request.
    #expect(try await board.run(words + ["1"]).code == 77)
  }

  @Test func `a watch gets fixes during a grant, and none after the grant expires or a lock is added`() async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    let watch = ["watch", "--source", board.source, "--no-weather", "--json"]
    let openBoard = try AuthFixture()
    try await ChildProcess.use(path: Program.path, arguments: watch, environment: board.environment) {
      [
        me = board.me, environment = board.environment, root = board.root,
        openEnvironment = openBoard.environment
      ] program in
      let isFix: @Sendable (String) -> Bool = { $0.contains(#""lat":"#) }
      /// Waits for a change of authorization after the first `seen` lines.
      let change = { (status: String, seen: Int) in
        await program.lines.wait { lines in
          lines.dropFirst(seen).contains { $0.contains(#""class":"AUTH","status":"\#(status)""#) }
        }
      }
      /// Counts the fixes in three seconds, in which a watch with access gets at least one.
      let fixesMeanwhile = {
        let seen = program.lines.events.count
        let unrestricted = try await Program.run(
          "watch", "--source", "simulated", "--no-weather", "--json", "--seconds", "3",
          environment: openEnvironment)
        #expect(unrestricted.lines.contains(where: isFix))
        return program.lines.events.dropFirst(seen).count(where: isFix)
      }
      _ = await program.lines.wait { $0.contains { $0.contains("grant it with: ") } }
      #expect(!program.lines.events.contains(where: isFix))
      _ = try await Program.run("auth", "allow", me, "--for", "4s", environment: environment)
      let granted = await program.lines.wait { $0.contains(where: isFix) }
      // The expiry of the grant is reported after the last fix.
      _ = await change("notDetermined", (granted.firstIndex(where: isFix) ?? 0) + 1)
      // The second request has the same level and purpose as the first.
      let isRequest: @Sendable (String) -> Bool = { $0.contains("grant it with: ") }
      let requests = await program.lines.wait { $0.count(where: isRequest) >= 2 }.filter(isRequest)
      for line in requests {
        #expect(line.contains(#"stated purpose: "fixcast watch""#) && !line.contains("--always"), "\(line)")
      }
      #expect(try await fixesMeanwhile() == 0)

      var seen = program.lines.events.count
      _ = try await Program.run("auth", "allow", me, environment: environment)
      _ = await program.lines.wait { [seen] in $0.dropFirst(seen).contains(where: isFix) }
      seen = program.lines.events.count
      let rule = root + "/etc/fixcast/policy.d/00-lock.conf"
      try Data("lock everyone\n".utf8).write(to: URL(filePath: rule))
      _ = await change("restricted", seen)
      #expect(try await fixesMeanwhile() == 0)
    }
  }

  @Test(arguments: 0..<3)
  func `a one-time grant serves exactly one of several concurrent programs`(round: Int) async throws {
    let board = try AuthFixture(policy: "ask everyone\n")
    #expect(try await board.auth("allow", board.me, "--once").code == 0)
    let programs = try (0..<6).map { _ in
      try ChildProcess(
        path: Program.path, arguments: ["locate", "--source", board.source, "--timeout", "60"],
        environment: board.environment)
    }
    // Each program is either served or waits for a new answer.
    let isServed: @Sendable (String) -> Bool = { $0.hasPrefix("position") }
    let isRequest: @Sendable (String) -> Bool = { $0.contains("grant it with: ") }
    for program in programs {
      await program.lines.wait { $0.contains { isServed($0) || isRequest($0) } }
    }
    // The grant is consumed before the position is printed.
    #expect(try !board.read(board.storeFile).contains("servesOnce"))
    // The denial ends the waiting programs.
    #expect(try await board.auth("deny", board.me).code == 0)
    var codes: [Int32] = []
    for program in programs { codes.append(await program.wait() >> 8 & 0xFF) }
    let lines = programs.map(\.lines.events)
    #expect(codes.sorted() == [0, 77, 77, 77, 77, 77], "\(lines)")
    #expect(lines.count { $0.contains(where: isServed) } == 1, "\(lines)")
  }

  @Test func `temporary full accuracy can be requested, listed, granted and refused, and expires`() async throws {
    let board = try AuthFixture(policy: "allow everyone accuracy=reduced\n")
    let clock = ManualClock()
    let lines = EventRecorder<String>()
    let answers = EventRecorder<LocationError?>()
    let policy = PolicyFiles(
      places: PolicyPaths(root: board.root),
      fullAccuracyPurposes: ["survey": "Find the border stones"], clock: clock,
      now: { BootTimestamp.now().advanced(bySeconds: clock.now.offset.components.seconds) },
      report: { lines.record($0) })
    let listener = Listener()
    let manager = LocationManager(policy: policy, purpose: "a test", clock: clock)
    manager.delegate = listener
    manager.requestAlwaysAuthorization()
    _ = await listener.events.wait(for: 2)
    let requestFullAccuracy = { (key: String) in
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { answers.record($0) }
    }
    // An unknown purpose is declined without a request to the operator.
    requestFullAccuracy("sruvey")
    #expect(await answers.wait(for: 1) == [.promptDeclined])

    requestFullAccuracy("survey")
    let request = try #require(await lines.wait(for: 1).last)
    let command = "fixcast auth allow \(board.me) --full --for 10m --root \(board.root)"
    #expect(request.contains("requests temporary full accuracy"))
    #expect(request.hasSuffix(#"stated purpose: "Find the border stones""#))
    #expect(request.contains("grant it with: \(command),"))
    let pending = try await board.auth("pending")
    #expect(pending.lines.first?.hasPrefix("\(board.me)  temporary full accuracy") == true)
    #expect(pending.lines.last == "  -> \(command)")
    let words = command.split(separator: " ").dropFirst().map(String.init)
    let allowed = try await board.run(words)
    #expect(allowed.code == 0, "\(allowed.lines)")
    // The clock does not advance, so a file watch detects the change, not polling.
    #expect(await answers.wait(for: 2).last == .some(nil))
    #expect(await listener.events.wait(for: 3) == ["notDetermined", "authorizedAlways, reduced", "authorizedAlways"])
    #expect(try await board.auth("pending").lines == ["no requests are waiting"])
    let explained = try await board.auth("explain")
    #expect(explained.lines.contains { $0.hasPrefix("full accuracy  on request, ") })

    clock.advance(by: .seconds(601))
    #expect(await listener.events.wait(for: 4).last == "authorizedAlways, reduced")
    // The temporary full accuracy has expired, so a new request waits for a new answer.
    requestFullAccuracy("survey")
    _ = await lines.wait(for: 2)
    #expect(try await board.auth("deny", board.me, "--full").code == 0)
    #expect(await answers.wait(for: 3).last == .promptDeclined)
    #expect(manager.accuracyAuthorization == .reducedAccuracy)
    await policy.flush()
    let log = try board.read("\(board.root)/var/lib/fixcast/uses.jsonl")
    for event in [
      #""event":"requested","client":"\#(board.me)""#, #""requested":"fullAccuracy""#,
      #""event":"fullAccuracyBegan""#, #""event":"fullAccuracyEnded""#,
    ] { #expect(log.contains(event), "\(event)") }
    withExtendedLifetime(listener) {}
  }

  /// Records the delegate's calls.
  private final class Listener: LocationManagerDelegate {
    let events = EventRecorder<String>()

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      let isReduced =
        manager.authorizationStatus.isAuthorized
        && manager.accuracyAuthorization == .reducedAccuracy
      events.record("\(manager.authorizationStatus)" + (isReduced ? ", reduced" : ""))
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      for _ in locations { events.record("location") }
    }
  }

  /// Advances a clock by seconds until a number of events is recorded.
  ///
  /// The kernel reports a change at any time, and the files are then checked twice; a fixed number
  /// of seconds could pass before the first check.
  private func advance(_ clock: ManualClock, until count: Int, of events: EventRecorder<String>) async {
    while events.events.count < count, !Task.isCancelled {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
  }

  @Test func `a program gets no fixes after a two-minute grant expires or a lock is added`() async throws {
    let board = try AuthFixture()
    #expect(try await board.auth("allow", board.me, "--for", "2m").code == 0)
    let clock = ManualClock()
    let start = BootTimestamp.now()
    let policy = PolicyFiles(
      places: PolicyPaths(root: board.root), interval: .seconds(1), clock: clock,
      now: { start.advanced(bySeconds: clock.now.offset.components.seconds) }, report: { _ in })
    let listener = Listener()
    let manager = LocationManager(policy: policy, purpose: "a test")
    manager.delegate = listener
    manager.startUpdatingLocation()
    let fix = Fix.at(51.5, -0.1)
    manager.ingest(.fix(fix))
    _ = await listener.events.wait(for: 2)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(121))
    _ = await listener.events.wait(for: 3)
    manager.ingest(.fix(fix))
    await manager.waitUntilDelivered()
    #expect(listener.events.events == ["authorizedWhenInUse", "location", "notDetermined"])

    #expect(try await board.auth("allow", board.me, "--always").code == 0)
    await advance(clock, until: 4, of: listener.events)
    manager.ingest(.fix(fix))
    _ = await listener.events.wait(for: 5)
    try board.write("etc/fixcast/policy.d/10-board.conf", "lock everyone\n")
    await advance(clock, until: 6, of: listener.events)
    manager.ingest(.fix(fix))
    await manager.waitUntilDelivered()
    #expect(listener.events.events.dropFirst(3) == ["authorizedAlways", "location", "restricted"])
    withExtendedLifetime(listener) {}
  }
}
