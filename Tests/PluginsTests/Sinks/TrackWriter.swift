// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Gives a sink points one after another, telling of each that it has taken, until it is killed.
enum TrackWriter {
  static func run(killedAfterMicroseconds: UInt32, _ make: () -> any Sink) async {
    Doom.strike(afterMicroseconds: killedAfterMicroseconds)
    let sink = make()
    for number in 1... as PartialRangeFrom<Int64> {
      var location = Location(
        coordinate: .at(Double(number % 900) * 0.1 - 45, 10),
        time: UTCTime(secondsSince1970: 1_763_726_400 + number))
      location.source = "/dev/ttyACM0"
      do { try await sink.receive(LocationEvent(location)) } catch { return }
      Doom.tell(number)
    }
  }

  /// How many points the program told of.
  static func told(_ result: ExitTest.Result?) -> Int {
    Doom.told(result?.standardOutputContent ?? []).last ?? 0
  }
}
