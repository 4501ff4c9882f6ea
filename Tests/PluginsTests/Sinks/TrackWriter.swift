// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Sends points to a sink until the process is killed, and reports each point that the sink has
/// accepted.
///
/// With `atStart`, the time until the kill begins at the start of the process, when no file exists
/// yet. Otherwise the time begins at the first point, which a busy machine may write late.
enum TrackWriter {
  static func run(
    killedAfterMicroseconds: UInt32, atStart: Bool, _ make: () -> any Sink
  ) async {
    if atStart { SelfKill.schedule(afterMicroseconds: killedAfterMicroseconds) }
    let sink = make()
    for number in 1... as PartialRangeFrom<Int64> {
      var location = Location(
        coordinate: .at(Double(number % 900) * 0.1 - 45, 10),
        time: UTCTime(secondsSince1970: 1_763_726_400 + number))
      location.source = "/dev/ttyACM0"
      do { try await sink.receive(LocationEvent(location)) } catch { return }
      SelfKill.report(number)
      if !atStart, number == 1 { SelfKill.schedule(afterMicroseconds: killedAfterMicroseconds) }
    }
  }

  /// Returns the number of points that the program reported.
  static func reported(_ result: ExitTest.Result?) -> Int {
    SelfKill.reportedNumbers(in: result?.standardOutputContent ?? []).last ?? 0
  }
}
