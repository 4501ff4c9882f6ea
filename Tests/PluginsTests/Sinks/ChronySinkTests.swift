// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FoundationEssentials
import Glibc
import Pipeline
import Positioning
import SystemSupport
import Testing

@testable import Plugins

@Suite("Chrony sink", .timeLimit(.minutes(5)))
struct ChronySinkTests {
  /// The receiver's time minus the system's time, in seconds.
  private static let offsetSeconds: Int64 = 3

  /// A location that has just arrived, with a time that differs from the system clock's.
  private static func location(_ change: (inout Location) -> Void = { _ in }) -> LocationEvent {
    let system = SystemClock.utcNow()
    let time = UTCTime(secondsSince1970: system.secondsSince1970 + offsetSeconds, nanosecond: system.nanosecond)
    var location = Location.at(48.1, 11.5, time: time) { $0.receivedAt = .now() }
    change(&location)
    return LocationEvent(location)
  }

  @Test func `one sample per second is sent, and none for a simulated or replayed location`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/chrony.sock")
    let received = MonotonicTime.at(5)
    let sink = ChronySink(path: receiver.path, now: { received }, systemTime: { .noon(plus: 5) })
    func send(_ second: Int64, _ nanosecond: UInt32, _ change: (inout Location) -> Void = { _ in })
      async throws
    {
      var location = Location.at(48.1, 11.5, time: .noon(plus: second, nanosecond: nanosecond))
      location.receivedAt = received
      change(&location)
      try await sink.receive(LocationEvent(location))
    }
    try await send(1, 0) { $0.isSimulated = true }
    try await send(2, 0) { $0.isReplayed = true }
    try await sink.receive(NoFixEvent(Fix(mode: .none)))
    #expect(receiver.next() == nil)
    for tenth in 0..<20 { try await send(3 + Int64(tenth / 10), UInt32(tenth % 10) * 100_000_000) }
    #expect(receiver.next()?.count == 40)
    #expect(receiver.next()?.count == 40)
    #expect(receiver.next() == nil)
  }

  @Test func `without chronyd, the sink fails with the reason, and can be restarted`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/chrony.sock"
    let sink = ChronySink(path: path, now: MonotonicTime.now, systemTime: SystemClock.utcNow)
    let error = await #expect(throws: PluginError.self) { try await sink.receive(Self.location()) }
    #expect(error?.isTransient == true)
    #expect(
      error?.description
        == "\(path): No such file or directory; chronyd is not running, or its configuration has "
        + "no refclock SOCK with this path")
    let receiver = DatagramReceiver(at: path)
    try await sink.receive(Self.location())
    #expect(receiver.next()?.count == 40)
  }

  @Test func `the error for a socket without write permission names the command that grants access`() {
    let error = ChronySink.reason(DatagramError(call: "sendto", number: EACCES, address: "/run/chrony.fixcast.sock"))
    #expect(
      error
        == "Permission denied; run: sudo sh -c 'chgrp fixcast /run/chrony.fixcast.sock && "
        + "chmod g+w /run/chrony.fixcast.sock'   (until chronyd restarts; for the permanent "
        + "setting: fixcast doctor)")
  }

  @Test(.enabled(if: access("/usr/sbin/chronyd", X_OK) == 0, "chronyd is not installed"))
  func `chronyd selects the sink's time and follows its offset, but not that of a simulation`() async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("run")
    let run = folder.path + "/run"
    // chronyd opens its command socket only in a folder that nobody else can enter.
    #expect(chmod(run, 0o770) == 0)
    #expect(chown(run, getuid(), getgid()) == 0)
    try folder.write(
      "chrony.conf",
      """
      cmdport 0
      bindcmdaddress \(run)/command.sock
      pidfile \(run)/pid
      refclock SOCK \(run)/time.sock refid GPS poll 0 filter 1 precision 1e-1 delay 0.2

      """)
    let user = try #require(getpwuid(getuid())).pointee
    try await ChildProcess.use(
      path: "/usr/sbin/chronyd",
      // Without privileges, and without control of the clock.
      arguments: [
        "-U", "-x", "-d", "-u", String(cString: user.pw_name), "-f", folder.path + "/chrony.conf",
      ]
    ) { daemon in
      func query(_ command: String) async throws -> [String] {
        let (lines, _) = try await ChildProcess.run(
          path: "/usr/bin/chronyc", arguments: ["-h", run + "/command.sock", "-c", command])
        return (lines.first ?? "").split(separator: ",").map(String.init)
      }
      // chronyd creates this socket last, and then answers all requests.
      try await FolderChanges.wait(in: run, suffix: "command.sock") {
        access(run + "/command.sock", F_OK) == 0
      }
      #expect(try await query("sources").contains("GPS"), "\(daemon.lines.events)")
      let sink = ChronySink(path: run + "/time.sock", now: MonotonicTime.now, systemTime: SystemClock.utcNow)
      for _ in 0..<20 {
        try await sink.receive(Self.location { $0.isSimulated = true })
        try await sink.receive(Self.location { $0.isReplayed = true })
      }
      // Columns: mode, state, name, stratum, poll, reach.
      #expect(try await query("sources").prefix(6) == ["#", "?", "GPS", "0", "0", "0"])
      let sending = Task {
        while !Task.isCancelled {
          try await sink.receive(Self.location())
          // The sink sends one sample per second, as chronyd expects.
          try? await ContinuousClock().sleep(for: .milliseconds(100))
        }
      }
      await daemon.lines.wait { $0.contains { $0.hasSuffix("Selected source GPS") } }
      sending.cancel()
      try await sending.value
      #expect(try await query("sources").prefix(2) == ["#", "*"])
      // The fifth column is the time in seconds by which the system clock is behind.
      let behind = try #require(try await query("tracking").dropFirst(4).first.flatMap(Double.init))
      #expect(abs(behind - Double(Self.offsetSeconds)) < 0.2)
    }
  }
}
