// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

/// Gives a sink points one after another, telling of each that it has taken, until it is killed.
enum TrackWriter {
  static func run(killedAfterMicroseconds: UInt32, _ make: () -> any Sink) async {
    var thread = pthread_t()
    let delay = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    delay.pointee = killedAfterMicroseconds
    // The moment of death is the one thing here that nobody waits for.
    pthread_create(
      &thread, nil,
      { delay in
        if let delay { usleep(delay.load(as: UInt32.self)) }
        kill(getpid(), SIGKILL)
        return nil
      }, delay)
    let sink = make()
    for number in 1... as PartialRangeFrom<Int64> {
      var location = Location(
        coordinate: .at(Double(number % 900) * 0.1 - 45, 10),
        time: UTCTime(secondsSince1970: 1_763_726_400 + number))
      location.source = "/dev/ttyACM0"
      do { try await sink.receive(LocationEvent(location)) } catch { return }
      let line = Array("\(number)\n".utf8)
      _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
  }

  /// How many points the program told of.
  static func told(_ result: ExitTest.Result?) -> Int {
    let text = result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").compactMap { Int($0) }.last ?? 0
  }
}
