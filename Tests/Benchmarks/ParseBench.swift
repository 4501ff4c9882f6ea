// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Measures framing, checksums and parsing of all fields, without assembling epochs.
enum ParseBench {
  /// Uses a field of each sentence, so that the compiler cannot remove the work.
  private struct Tally: SentenceHandler {
    var sentences = 0
    var sum = 0.0

    mutating func take(_ sentence: borrowing Sentence, from address: SentenceAddress) {
      sentences += 1
      switch sentence {
      case .gga(let gga): sum += gga.latitudeDegrees ?? 0
      case .rmc(let rmc): sum += rmc.speedMetersPerSecond ?? 0
      case .gsv(let gsv): sum += Double(gsv.satellites.count)
      case .gsa(let gsa): sum += gsa.horizontalDilution ?? 0
      default: sum += 1
      }
    }

    mutating func passOver(_ address: SentenceAddress) { sentences += 1 }
    mutating func report(_ error: SentenceError) { if error.isRefusal { sentences += 1 } }
  }

  static func run(_ bytes: [UInt8], rounds: Int) {
    var tally = Tally()
    var options = SentenceReader.Options()
    options.skipsComments = true
    let seconds = Stopwatch.fastestSeconds(of: rounds) {
      tally = Tally()
      var reader = SentenceReader(options: options)
      reader.read(bytes.span, into: &tally)
      reader.finish(into: &tally)
    }
    Stopwatch.report(sentences: tally.sentences, bytes: bytes.count, seconds: seconds)
    print("checked sum \(tally.sum)")
  }
}
