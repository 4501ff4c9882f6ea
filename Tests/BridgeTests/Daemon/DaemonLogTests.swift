// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Positioning
import Systemd
import Testing

@testable import Bridge

@Suite("The daemon's log")
struct DaemonLogTests {
  @Test("the level is that of all loggers at once, those made before and those made after")
  func level() {
    let log = DaemonLog(.standardError)
    let before = log.logger("a")
    #expect(before.logLevel == .info)
    log.setLevel(.debug)
    #expect(before.logLevel == .debug && log.logger("b").logLevel == .debug)
    log.setLevel(.error)
    #expect(before.logLevel == .error)
  }

  @Test("one that is set by itself keeps its own, and no other goes with it")
  func own() {
    let log = DaemonLog(.standardError)
    var own = log.logger("a")
    let other = own
    own.logLevel = .warning
    log.setLevel(.trace)
    #expect(own.logLevel == .warning && other.logLevel == .trace)
  }

  @Test("lines that the journal does not take are counted, those of all loggers together")
  func lost() throws {
    let folder = try ScratchFolder()
    let log = DaemonLog(.journal, journal: folder.path + "/journal")
    let (one, other) = (log.logger("a"), log.logger("b"))
    // Nobody is there.
    one.notice("x")
    other.notice("x")
    #expect(log.lostCount == 2)
    let journal = DatagramReceiver(at: folder.path + "/journal", receiveBytes: 4096)
    one.notice("x")
    #expect(log.lostCount == 2)
    // Somebody is there and does not read: at last the kernel takes no more.
    for _ in 0..<10_000 where log.lostCount == 2 { other.notice("x") }
    #expect(log.lostCount == 3)
    while journal.next() != nil {}
    other.notice("x")
    // Heard of by whoever reads the journal, and counted all the same.
    #expect(log.lostCount == 3 && journal.nextText()?.contains("FIXCAST_LOST=1\n") == true)
  }

  @Test(
    "the time has a millisecond's digits, whatever is finer",
    arguments: [
      (0, "2026-11-21T12:00:00.000Z"), (7_000_000, "2026-11-21T12:00:00.007Z"),
      (999_999_999, "2026-11-21T12:00:00.999Z"),
    ] as [(UInt32, String)])
  func time(nanosecond: UInt32, text: String) {
    let time = UTCTime(secondsSince1970: 1_795_262_400, nanosecond: nanosecond)
    #expect(DaemonLog.text(of: time) == text)
  }

  @Test(
    "each level of the configuration is the logger's of that name",
    arguments: Logger.Level.allCases)
  func names(level: Logger.Level) throws {
    let configuration = try DaemonConfiguration.toml("[daemon]\nlog_level = \"\(level)\"\n")
    #expect(Logger.Level(configuration.daemon.logLevel) == level)
  }
}
