// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import ReceiverSimulator
import Receivers

/// Something to measure with where there are no recorded logs: the simulator's own sentences.
enum SimulatedLog {
  static func write(to path: String, epochs: Int) {
    guard let file = fopen(path, "w") else {
      print("fixcast-bench: \(path): cannot be written")
      exit(73)
    }
    defer { fclose(file) }
    let start = UTCTime(secondsSince1970: 1_795_000_000)
    guard var receiver = try? SimulatedReceiver(SimulatedReceiver.Configuration(start: start))
    else { return print("fixcast-bench: the simulator does not start") }
    for _ in 0..<epochs {
      let bytes = receiver.nextEpoch().bytes
      fwrite(bytes, 1, bytes.count, file)
    }
  }
}
