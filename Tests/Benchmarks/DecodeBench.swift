// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers

/// Measures the work of `fixcast decode` without reading and writing files.
enum DecodeBench {
  static func run(_ bytes: [UInt8], rounds: Int) {
    var sentences = 0
    var line = JSONLine(reservingCapacity: 1 << 20)
    var written = 0
    let seconds = Stopwatch.fastestSeconds(of: rounds) {
      var decoder = NMEADecoder(source: "bench", pace: .recorded)
      written = 0
      let deliver = { (event: FixSourceEvent) in
        switch event {
        case .fix(let fix): line.appendTPV(fix)
        case .sky(let sky): line.appendSKY(sky)
        case .sentences, .instruments, .connected, .receiver, .message, .lost: break
        }
        if line.bytes.count > 1 << 16 {
          written += line.bytes.count
          line.removeAll()
        }
      }
      decoder.decode(bytes.span, receivedAt: nil, deliver: deliver)
      decoder.finish(deliver: deliver)
      sentences = Int(decoder.counters.sentences + decoder.counters.errors)
    }
    Stopwatch.report(sentences: sentences, bytes: bytes.count, seconds: seconds)
    print("\(written + line.bytes.count) bytes of JSON")
  }
}
