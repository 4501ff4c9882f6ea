// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Glibc
import Logging
import Positioning
import Testing

@testable import Daemon

@Suite("The daemon's log")
struct DaemonLogTests {
  @Test func `setting the log level applies to existing and to new loggers`() {
    let log = DaemonLog(.timeAndLevel)
    let before = log.logger("a")
    #expect(before.logLevel == .info)
    log.setLevel(.debug)
    #expect(before.logLevel == .debug && log.logger("b").logLevel == .debug)
    log.setLevel(.error)
    #expect(before.logLevel == .error)
  }

  @Test func `a logger with its own level keeps that level, and does not affect other loggers`() {
    let log = DaemonLog(.timeAndLevel)
    var changedLogger = log.logger("a")
    let other = changedLogger
    changedLogger.logLevel = .warning
    log.setLevel(.trace)
    #expect(changedLogger.logLevel == .warning && other.logLevel == .trace)
  }

  @Test func `the log counts the lines that could not be written, for all loggers together`() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    try #require(full >= 0)
    let log = DaemonLog(.priority, descriptor: full)
    log.logger("a").notice("x")
    log.logger("b").notice("x")
    log.logger("b").debug("x")
    #expect(log.lostCount == 2)
  }

  @Test(
    arguments: [
      (0, "2026-11-21T12:00:00.000Z"), (7_000_000, "2026-11-21T12:00:00.007Z"),
      (999_999_999, "2026-11-21T12:00:00.999Z"),
    ] as [(UInt32, String)])
  func `log times are truncated to milliseconds`(nanosecond: UInt32, text: String) {
    let time = UTCTime(secondsSince1970: 1_795_262_400, nanosecond: nanosecond)
    #expect(DaemonLog.text(of: time) == text)
  }

  @Test(arguments: Logger.Level.allCases)
  func `each configured log level sets the logger's level with the same name`(level: Logger.Level) throws {
    let configuration = try DaemonConfiguration.toml("[daemon]\nlog_level = \"\(level)\"\n")
    #expect(configuration.daemon.logLevel == level)
  }
}
