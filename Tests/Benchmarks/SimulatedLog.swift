// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
import ReceiverSimulator
import Receivers

/// Writes simulated sentences, for measurements without recorded logs.
enum SimulatedLog {
  static func write(to path: String, epochs: Int) {
    guard let file = fopen(path, "w") else {
      print("fixcast-bench: \(path): cannot write")
      exit(73)
    }
    defer { fclose(file) }
    let start = UTCTime(secondsSince1970: 1_795_000_000)
    guard var receiver = try? SimulatedReceiver(SimulatedReceiver.Configuration(start: start))
    else { return print("fixcast-bench: cannot start the simulator") }
    for _ in 0..<epochs {
      let bytes = receiver.nextEpoch().bytes
      fwrite(bytes, 1, bytes.count, file)
    }
  }
}
