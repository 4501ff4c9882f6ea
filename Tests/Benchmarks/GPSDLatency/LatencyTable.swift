// SPDX-License-Identifier: Apache-2.0

/// Prints latencies and resource usage as tables.
enum LatencyTable {
  static func latencyHeading() {
    print(row("", ["epochs", "median ms", "p95 ms", "p99 ms", "max ms"]))
  }

  static func latency(_ name: String, nanoseconds: [Int64], of epochs: Int) {
    let sorted = nanoseconds.sorted()
    guard !sorted.isEmpty else { return print(row(name, ["0 of \(epochs)"])) }
    func percentile(_ percent: Int) -> String {
      milliseconds(sorted[min(sorted.count - 1, sorted.count * percent / 100)])
    }
    let longest = milliseconds(sorted[sorted.count - 1])
    let percentiles = [50, 95, 99].map(percentile)
    print(row(name, ["\(sorted.count) of \(epochs)"] + percentiles + [longest]))
  }

  /// Prints the latencies of the epochs that a process has reported.
  static func latency(
    _ name: String, _ keys: [Int64], _ process: MeasuredProcess,
    _ difference: (Int64, Arrival) -> Int64?
  ) {
    let nanoseconds = keys.compactMap { key in
      process.arrivals[key].flatMap { difference(key, $0) }
    }
    latency(name, nanoseconds: nanoseconds, of: keys.count)
  }

  /// Prints the conditions of a measurement.
  static func describe(_ lines: TwinLines, epochs: Int) {
    let writes = lines.writeNanoseconds.sorted()
    let load = String(decoding: LogFile.load("/proc/loadavg"), as: UTF8.self).prefix(4)
    print(
      "\(epochs) epochs at \(TwinLines.rateHertz) Hz, \(TwinLines.baud) baud, GGA GSA RMC;",
      "load \(load); the last write itself took",
      "\(milliseconds(writes[writes.count / 2])) ms (median)")
  }

  static func usageHeading() { print(row("", ["CPU %", "RSS MB", "peak MB", "anon MB"])) }

  static func usage(_ name: String, from: ProcessUsage?, to: ProcessUsage?, seconds: Double) {
    guard let from, let to else { return print(row(name, ["exited"])) }
    let percent = fixed((to.cpuSeconds - from.cpuSeconds) / seconds * 100, places: 2)
    let sizes = [to.residentKilobytes, to.peakKilobytes, to.anonymousKilobytes]
    print(row(name, [percent] + sizes.map(megabytes)))
  }

  private static func megabytes(_ kilobytes: Int) -> String {
    fixed(Double(kilobytes) * 1024 / 1e6, places: 1)
  }

  static func milliseconds(_ nanoseconds: Int64) -> String {
    fixed(Double(nanoseconds) / 1e6, places: 3)
  }

  private static func fixed(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let units = Int((abs(value) * Double(scale)).rounded())
    let rest = String(units % scale)
    let zeros = String(repeating: "0", count: places - rest.count)
    return (value < 0 ? "-" : "") + "\(units / scale).\(zeros)\(rest)"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    name + String(repeating: " ", count: max(1, 44 - name.count))
      + cells.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined()
  }
}
