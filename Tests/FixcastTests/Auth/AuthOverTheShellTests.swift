// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

/// A program that asks, and an operator who answers in a shell.
@Suite(.timeLimit(.minutes(5))) struct AuthOverTheShellTests {
  @Test("asks, is seen waiting, is granted by the command it shows, and loses it when time is over")
  func wholeWay() async throws {
    let board = try AuthBoard(policy: "ask everyone\n")
    let locate = ["locate", "--source", "simulated", "--timeout", "60"]
    let lines = try await ChildProcess.use(
      path: Program.path, arguments: locate, environment: board.environment
    ) { [me = board.me, root = board.root, environment = board.environment] program in
      let asked = await program.lines.wait { $0.contains { $0.contains("grant it with: ") } }
      let line = try #require(asked.first { $0.contains("grant it with: ") })
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
    // Granted by now, so at once.
    #expect(try await board.run(locate).lines.contains { $0.hasPrefix("position") })

    #expect(try await board.auth("allow", board.me, "--for", "1s").code == 0)
    var codes: [Int32] = []
    // It runs out within the first of these that have to wait for an answer; those before it are as
    // many as this machine runs in a second.
    for _ in 0..<100 where codes.last != 77 {
      codes.append(
        try await board.run(["locate", "--source", "simulated", "--timeout", "1"]).code)
    }
    #expect(codes.last == 77, "\(codes)")

    #expect(try await board.auth("deny", board.me).code == 0)
    let denied = try await board.run(locate)
    #expect(denied.code == 77)
    #expect(denied.lines.last?.contains("allow it with: fixcast auth allow \(board.me)") == true)
  }

  @Test("with no policy at all whoever runs it is told, and no file is made")
  func noPolicy() async throws {
    let board = try AuthBoard()
    let result = try await board.run(["locate", "--source", "simulated"])
    #expect(result.code == 0)
    #expect(access(board.storeFile, F_OK) != 0)
  }

  @Test(
    "a watch that nobody has said anything about hears the first word against it, and logs it",
    arguments: ["deny", "lock", "switch"])
  func firstWord(word: String) async throws {
    let board = try AuthBoard()
    try await ChildProcess.use(
      path: Program.path,
      arguments: ["watch", "--source", "simulated", "--no-weather", "--json", "--seconds", "30"],
      environment: board.environment
    ) { [me = board.me, environment = board.environment, root = board.root] program in
      _ = await program.lines.wait { $0.contains { $0.contains(#""lat":"#) } }
      switch word {
      case "deny": _ = try await Program.run("auth", "deny", me, environment: environment)
      case "switch":
        _ = try await Program.run("auth", "deny", "everyone", environment: environment)
      default:
        try Data("lock everyone\n".utf8).write(
          to: URL(filePath: root + "/etc/fixcast/policy.d/00-lock.conf"))
      }
      let status = word == "lock" ? "restricted" : "denied"
      let told = #""class":"AUTH","status":"\#(status)""#
      let lines = await program.lines.wait {
        $0.contains { $0.contains(told) || $0.contains(#""class":"END""#) }
      }
      #expect(lines.contains { $0.contains(told) }, "\(lines.suffix(3))")
    }
    let log = try board.read("\(board.root)/var/lib/fixcast/audit.jsonl")
    #expect(log.contains(#""event":"revoked""#), "\(log)")
  }

  @Test(
    "with no policy an answer that is over has to be given anew, and gives nobody more",
    arguments: [["--once"], ["--reduced", "--for", "3s"]])
  func overWithoutPolicy(words: [String]) async throws {
    let board = try AuthBoard()
    let locate = ["locate", "--source", "simulated", "--timeout", "5"]
    #expect(try await board.run(["auth", "allow", board.me] + words).code == 0)
    var results: [(lines: [String], code: Int32)] = []
    // The first, or the one by when three seconds are over: how many that takes is the machine's.
    for _ in 0..<100 where results.last?.code != 77 { results.append(try await board.run(locate)) }
    #expect(results.last?.code == 77, "\(results)")
    #expect(results.last?.lines.contains { $0.contains("fixcast auth allow \(board.me)") } == true)
    if words.contains("--once") { #expect(results.map(\.code) == [0, 77]) }
    #expect(try await board.auth("reset", board.me).code == 0)
    #expect(try await board.run(locate).code == 0)
  }

  @Test("reduced accuracy holds for a person too, and a grant for once serves once")
  func reducedOnce() async throws {
    let board = try AuthBoard(policy: "ask everyone\n")
    _ = try await board.auth("allow", board.me, "--reduced", "--once")
    let words = ["locate", "--source", "simulated", "--json", "--timeout"]
    let first = try await board.run(words + ["20"])
    #expect(first.code == 0, "\(first.lines)")
    let object = try #require(first.lines.first { $0.hasPrefix("{") })
    #expect(!object.contains("speed") && !object.contains("altMSL"), "\(object)")
    // An age beside a coarsened time would undo that.
    #expect(object.contains(#""time":""#) && !object.contains(#""age":"#), "\(object)")
    // Nobody answers it, however long it waits.
    #expect(try await board.run(words + ["1"]).code == 77)
  }

  @Test("watches fixes come while a grant lasts, and sees them stop when it is over or locked")
  func watches() async throws {
    let board = try AuthBoard(policy: "ask everyone\n")
    let watch = ["watch", "--source", "simulated", "--no-weather", "--json"]
    let other = try AuthBoard()
    try await ChildProcess.use(
      path: Program.path, arguments: watch, environment: board.environment
    ) {
      [
        me = board.me, environment = board.environment, root = board.root,
        elsewhere = other.environment
      ] program in
      let isFix: @Sendable (String) -> Bool = { $0.contains(#""lat":"#) }
      /// Waits for a change of authorization behind what has come so far.
      let change = { (status: String, seen: Int) in
        await program.lines.wait { lines in
          lines.dropFirst(seen).contains { $0.contains(#""class":"AUTH","status":"\#(status)""#) }
        }
      }
      /// The fixes of three seconds, in which a board where nobody is refused has some.
      let fixesMeanwhile = {
        let seen = program.lines.events.count
        let free = try await Program.run(
          "watch", "--source", "simulated", "--no-weather", "--json", "--seconds", "3",
          environment: elsewhere)
        #expect(free.lines.contains(where: isFix))
        return program.lines.events.dropFirst(seen).count(where: isFix)
      }
      _ = await program.lines.wait { $0.contains { $0.contains("grant it with: ") } }
      #expect(!program.lines.events.contains(where: isFix))
      _ = try await Program.run("auth", "allow", me, "--for", "4s", environment: environment)
      let granted = await program.lines.wait { $0.contains(where: isFix) }
      // Told in one order with the fixes, behind the last of them.
      _ = await change("notDetermined", (granted.firstIndex(where: isFix) ?? 0) + 1)
      // It asks again for what it asked for before, by the same name.
      let isAsking: @Sendable (String) -> Bool = { $0.contains("grant it with: ") }
      let asked = await program.lines.wait { $0.count(where: isAsking) >= 2 }.filter(isAsking)
      for line in asked {
        #expect(line.contains(#"for: "fixcast watch""#) && !line.contains("--always"), "\(line)")
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

  @Test("of programs that ask at once, a grant for once serves one", arguments: 0..<3)
  func onceAmongMany(round: Int) async throws {
    let board = try AuthBoard(policy: "ask everyone\n")
    #expect(try await board.auth("allow", board.me, "--once").code == 0)
    let programs = try (0..<6).map { _ in
      try ChildProcess(
        path: Program.path, arguments: ["locate", "--source", "simulated", "--timeout", "60"],
        environment: board.environment)
    }
    // Each is served, or waits for an answer of its own; nobody hurries the one that is served.
    let isServed: @Sendable (String) -> Bool = { $0.hasPrefix("position") }
    let isAsking: @Sendable (String) -> Bool = { $0.contains("grant it with: ") }
    for program in programs {
      await program.lines.wait { $0.contains { isServed($0) || isAsking($0) } }
    }
    // Used up before the position is told.
    #expect(try !board.read(board.storeFile).contains("servesOnce"))
    // What waits is refused at once.
    #expect(try await board.auth("deny", board.me).code == 0)
    var codes: [Int32] = []
    for program in programs { codes.append(await program.wait() >> 8 & 0xFF) }
    let lines = programs.map(\.lines.events)
    #expect(codes.sorted() == [0, 77, 77, 77, 77, 77], "\(lines)")
    #expect(lines.count { $0.contains(where: isServed) } == 1, "\(lines)")
  }

  @Test("full accuracy for a while is asked for, seen waiting, given, over, and refused")
  func fullAccuracy() async throws {
    let board = try AuthBoard(policy: "allow everyone accuracy=reduced\n")
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
    let ask = { (key: String) in
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { answers.record($0) }
    }
    // No such purpose: nobody is bothered.
    ask("sruvey")
    #expect(await answers.wait(for: 1) == [.promptDeclined])

    ask("survey")
    let asked = try #require(await lines.wait(for: 1).last)
    let command = "fixcast auth allow \(board.me) --full --for 10m --root \(board.root)"
    #expect(asked.contains("asks for full accuracy for a while"))
    #expect(asked.hasSuffix(#"for: "Find the border stones""#))
    #expect(asked.contains("grant it with: \(command),"))
    let pending = try await board.auth("pending")
    #expect(pending.lines.first?.hasPrefix("\(board.me)  full accuracy for a while") == true)
    #expect(pending.lines.last == "  -> \(command)")
    let words = command.split(separator: " ").dropFirst().map(String.init)
    let allowed = try await board.run(words)
    #expect(allowed.code == 0, "\(allowed.lines)")
    // The kernel tells of it: the clock stands still.
    #expect(await answers.wait(for: 2).last == .some(nil))
    #expect(
      await listener.events.wait(for: 3)
        == ["notDetermined", "authorizedAlways, reduced", "authorizedAlways"])
    #expect(try await board.auth("pending").lines == ["no requests are waiting"])
    let explained = try await board.auth("explain")
    #expect(explained.lines.contains { $0.hasPrefix("full accuracy  when it asks, ") })

    clock.advance(by: .seconds(601))
    #expect(await listener.events.wait(for: 4).last == "authorizedAlways, reduced")
    // It is over for good, also where a second one is asked for.
    ask("survey")
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

  /// Records what a program is told.
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

  @Test("fixes come while two minutes last, and stop with them, and with a lock")
  func fixesStop() async throws {
    let board = try AuthBoard()
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
    var fix = Fix(mode: .threeDimensional)
    fix.coordinate = .at(51.5, -0.1)

    manager.ingest(.fix(fix))
    _ = await listener.events.wait(for: 2)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(121))
    _ = await listener.events.wait(for: 3)
    manager.ingest(.fix(fix))
    await manager.waitUntilDelivered()
    #expect(listener.events.events == ["authorizedWhenInUse", "location", "notDetermined"])

    #expect(try await board.auth("allow", board.me, "--always").code == 0)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    _ = await listener.events.wait(for: 4)
    manager.ingest(.fix(fix))
    _ = await listener.events.wait(for: 5)
    try board.write("etc/fixcast/policy.d/10-board.conf", "lock everyone\n")
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    _ = await listener.events.wait(for: 6)
    manager.ingest(.fix(fix))
    await manager.waitUntilDelivered()
    #expect(
      listener.events.events.dropFirst(3) == ["authorizedAlways", "location", "restricted"])
    withExtendedLifetime(listener) {}
  }
}
