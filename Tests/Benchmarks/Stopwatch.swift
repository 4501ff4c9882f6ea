// SPDX-License-Identifier: Apache-2.0

/// Measures the fastest of several runs, on which other processes had the least effect.
enum Stopwatch {
  static func fastestSeconds(of rounds: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    var best = Double.infinity
    for _ in 0..<rounds {
      let duration = clock.measure(body).components
      best = min(best, Double(duration.seconds) + Double(duration.attoseconds) / 1e18)
    }
    return best
  }

  static func report(sentences: Int, bytes: Int, seconds: Double) {
    let millionsPerSecond = Double(sentences) / seconds / 1e6
    let megabytesPerSecond = Double(bytes) / seconds / 1e6
    print(
      "\(sentences) sentences, \(bytes) bytes:",
      "\(rounded(millionsPerSecond)) M sentences/s, \(rounded(megabytesPerSecond)) MB/s,",
      "\(rounded(seconds * 1e9 / Double(sentences))) ns per sentence")
  }

  static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
