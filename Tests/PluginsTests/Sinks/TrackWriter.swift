// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Sends points to a sink until the process is killed, and reports each point that the sink has
/// accepted.
enum TrackWriter {
  /// The values that a test hands over to the process that it starts and kills.
  ///
  /// They are in a file that is named after the test's process, because the closure of an exit test
  /// cannot capture values in Swift 6.2.
  struct Plan: Codable {
    /// The path of the track.
    var path: String
    var killedAfterMicroseconds: UInt32
    /// Whether the time until the kill begins at the start of the process, when no file exists yet.
    ///
    /// Otherwise the time begins at the first point, which a busy machine may write late.
    var atStart: Bool
  }

  static func run(_ plan: Plan, _ make: () -> any Sink) async {
    if plan.atStart { SelfKill.schedule(afterMicroseconds: plan.killedAfterMicroseconds) }
    let sink = make()
    for number in 1... as PartialRangeFrom<Int64> {
      let time = UTCTime(secondsSince1970: 1_763_726_400 + number)
      let location = Location.at(Double(number % 900) * 0.1 - 45, 10, time: time) { $0.source = "/dev/ttyACM0" }
      do { try await sink.receive(LocationEvent(location)) } catch { return }
      SelfKill.report(number)
      if !plan.atStart, number == 1 {
        SelfKill.schedule(afterMicroseconds: plan.killedAfterMicroseconds)
      }
    }
  }

  /// Returns the number of points that the program reported.
  static func reported(_ result: ExitTest.Result?) -> Int {
    SelfKill.reportedNumbers(in: result?.standardOutputContent ?? []).last ?? 0
  }
}

extension TrackWriter.Plan {
  /// Reads the plan of the test that started this process.
  init(handedOverAs name: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: Self.file(name, of: getppid())))
  }

  /// Writes the plan for the next process that this test starts.
  func handOver(as name: String) throws {
    try JSONEncoder().encode(self).write(to: Self.file(name, of: getpid()))
  }

  /// Removes the file of the last plan.
  static func remove(_ name: String) {
    try? FileManager.default.removeItem(at: file(name, of: getpid()))
  }

  private static func file(_ name: String, of processID: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "fixcast-\(name)-\(processID)")
  }
}
