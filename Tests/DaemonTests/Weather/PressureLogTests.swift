// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import Daemon

@Suite("Pressure log")
struct PressureLogTests {
  private static func minute(_ minute: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(minute) * 60_000_000_000)
  }

  private static func question(_ minute: Int, isAtBoard: Bool = true) -> WeatherQueries.Question {
    var question = WeatherQueries.Question(at: .at(54.3, 10.1), isAtBoard: isAtBoard)
    question.seenAt = Self.minute(minute)
    return question
  }

  /// Records a falling pressure every ten minutes, and returns the last tendency.
  ///
  /// Creates a new log for each measurement, as a sequence of programs would do.
  private static func lastTendency(
    of minutes: ClosedRange<Int>, _ path: String?, boot: (Int) -> String? = { _ in "one" },
    change: (inout WeatherQueries.Question) -> Void = { _ in }
  ) -> Double? {
    var lastTendency: Double?
    for number in minutes where number % 10 == 0 {
      var question = question(number)
      change(&question)
      lastTendency = PressureLog(path: path, boot: boot(number)).take(
        stationHectopascals: 1000 - Double(number) * 0.01, question, now: minute(number))
    }
    return lastTendency
  }

  @Test func `programs that run one after the other share a pressure tendency`() throws {
    let folder = try ScratchFolder()
    let path = try #require(
      PressureLog.path(root: "", runtimeFolder: folder.path, isRoot: false))
    #expect(path == folder.path + "/fixcast/pressure.json")
    let tendency = try #require(Self.lastTendency(of: 0...180, path))
    #expect(abs(tendency + 1.8) < 1e-9)
    #expect(Self.lastTendency(of: 0...180, nil) == nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/fixcast")
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `the pressure log of root is not in the directory of the daemon's socket`() throws {
    let folder = try ScratchFolder()
    let run = folder.path + "/run"
    try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
    let path = try #require(
      PressureLog.path(root: folder.path, runtimeFolder: nil, isRoot: true))
    #expect(try FileManager.default.contentsOfDirectory(atPath: run) == ["fixcast-weather"])
    #expect(path == run + "/fixcast-weather/pressure.json")
    #expect(Self.lastTendency(of: 0...180, path) != nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: run + "/fixcast-weather")
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `the pressure log ignores measurements of an earlier boot and invalid files`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/pressure.json"
    #expect(Self.lastTendency(of: 0...180, path) { $0 < 100 ? "one" : "two" } == nil)
    try Data("{".utf8).write(to: URL(filePath: path))
    #expect(Self.lastTendency(of: 0...170, path) != nil)
    #expect(PressureLog.path(root: "", runtimeFolder: nil, isRoot: false) == nil)
  }

  @Test func `there is no pressure tendency for an inaccurate, old or remote position`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/pressure.json"
    let coarse = Accuracy(meters: 5000, confidencePercent: 95, basis: .receiver)
    #expect(Self.lastTendency(of: 0...180, path, change: { $0.horizontalAccuracy = coarse }) == nil)
    #expect(Self.lastTendency(of: 0...180, path, change: { $0.seenAt = nil }) == nil)
    #expect(Self.lastTendency(of: 0...180, path, change: { $0.isAtBoard = false }) == nil)
    // The position was known only at the start.
    #expect(Self.lastTendency(of: 0...180, path, change: { $0.seenAt = Self.minute(0) }) == nil)
  }
}
