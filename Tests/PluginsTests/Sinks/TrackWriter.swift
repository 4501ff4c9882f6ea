// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Gives a sink points one after another, telling of each that it has taken, until it is killed.
///
/// Its time runs from the start, before there is a file, or from the first point on: on a machine
/// that is busy, hardly any program would come to write anything in the time from its start.
enum TrackWriter {
  static func run(
    killedAfterMicroseconds: UInt32, atStart: Bool, _ make: () -> any Sink
  ) async {
    if atStart { SelfKill.strike(afterMicroseconds: killedAfterMicroseconds) }
    let sink = make()
    for number in 1... as PartialRangeFrom<Int64> {
      var location = Location(
        coordinate: .at(Double(number % 900) * 0.1 - 45, 10),
        time: UTCTime(secondsSince1970: 1_763_726_400 + number))
      location.source = "/dev/ttyACM0"
      do { try await sink.receive(LocationEvent(location)) } catch { return }
      SelfKill.tell(number)
      if !atStart, number == 1 { SelfKill.strike(afterMicroseconds: killedAfterMicroseconds) }
    }
  }

  /// How many points the program told of.
  static func told(_ result: ExitTest.Result?) -> Int {
    SelfKill.told(result?.standardOutputContent ?? []).last ?? 0
  }
}
