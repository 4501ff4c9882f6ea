// SPDX-License-Identifier: Apache-2.0

import FixcastTestSupport
import Glibc
import Positioning
import Receivers

/// The latency from the last byte of an epoch on a serial line to the consumer, compared with gpsd.
///
/// The process for Fixcast has a `SerialSource`, a `LocationManager` and a delegate. gpsd reads an
/// identical line, with Debian's options, and a process with libgps reads from gpsd. All times are
/// `CLOCK_MONOTONIC`: just before the write(2) with the last byte, at the start of the delegate
/// method, and after gps_read. Epochs are matched by the receiver's time.
///
/// As root, gpsd sets its own nice value to -10; the other processes do not. On a busy machine use
/// `chrt -f 50`, which all processes inherit.
enum GPSDLatencyBench {
  private static let gpsd = "/usr/sbin/gpsd"
  private static let maxEpochsToBegin = 300
  private static let warmUpEpochs = 50
  private static let epochsToSettle = 10

  /// Measures a number of epochs and prints tables.
  ///
  /// `program` is the fixcast program, or `-` for none. The program receives the same epochs
  /// through a named pipe and replays them; only the program's resource usage is measured.
  static func run(program: String, epochs: Int) {
    guard access(gpsd, X_OK) == 0, let reserved = try? ReservedPort() else {
      return print("gpsd is not installed: not measured")
    }
    defer { reserved.release() }
    let port = reserved.number
    let pipe = program == "-" ? nil : FeedPipe()
    let now = UTCTime(secondsSince1970: Int64(time(nil)))
    guard var lines = try? TwinLines(startingAt: now, pipe: pipe) else {
      return print("fixcast-bench: cannot open pseudo-terminals")
    }
    let ownProgram = "/proc/self/exe"
    // Without separate keys, several gpsd processes on one host would share a memory segment.
    let memory = "GPSD_SHM_KEY=0x\(String(0x4650_0000 + Int(port), radix: 16))"
    guard
      let delegateProcess = MeasuredProcess(
        "source, manager, delegate", path: ownProgram, ["probe-delegate", lines.first.devnode],
        reportsArrivals: true)
    else { return print("fixcast-bench: cannot start the delegate process") }
    defer { delegateProcess.end() }
    guard
      let daemon = MeasuredProcess(
        "gpsd", path: gpsd, ["-N", "-n", "-S", "\(port)", lines.second.devnode],
        environment: [memory])
    else { return print("fixcast-bench: cannot start gpsd") }
    defer { daemon.end() }
    guard
      let client = MeasuredProcess(
        "gpsd's libgps client", path: ownProgram, ["probe-libgps", "\(port)"], reportsArrivals: true
      )
    else { return print("fixcast-bench: cannot start the libgps process") }
    defer { client.end() }
    let replay = pipe.flatMap {
      MeasuredProcess("fixcast replay, complete", path: program, arguments(for: $0))
    }
    defer { replay?.end() }

    for _ in 0..<maxEpochsToBegin where delegateProcess.arrivals.isEmpty || client.arrivals.isEmpty {
      _ = lines.sendEpoch()
      delegateProcess.collect()
      client.collect()
    }
    guard !delegateProcess.arrivals.isEmpty, !client.arrivals.isEmpty else {
      return print(
        "fixcast-bench: no fix received; delegate \(delegateProcess.arrivals.count), libgps client",
        client.arrivals.count)
    }
    for _ in 0..<warmUpEpochs { _ = lines.sendEpoch() }

    let processes = [delegateProcess, daemon, client] + [replay].compactMap { $0 }
    let begin = MonotonicClock.nanoseconds()
    let before = processes.map(\.usage)
    var keys: [Int64] = []
    for number in 0..<epochs {
      if number == epochs / 2 {
        // The epochs around the swap have another period and are ignored.
        lines.isSecondAhead = true
        for _ in 0..<epochsToSettle { _ = lines.sendEpoch() }
      }
      keys.append(lines.sendEpoch())
      delegateProcess.collect()
      client.collect()
    }
    let after = processes.map(\.usage)
    let seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
    // Wait for the last arrival.
    MonotonicClock.sleep(untilNanoseconds: MonotonicClock.nanoseconds() + 500_000_000)
    delegateProcess.collect()
    client.collect()

    LatencyTable.describe(lines, epochs: epochs)
    LatencyTable.latencyHeading()
    LatencyTable.latency("fixcast: last byte to delegate", keys, delegateProcess) { key, arrival in
      lines.firstEnds[key].map { arrival.nanoseconds(since: $0) }
    }
    LatencyTable.latency("  of which: last byte to the read", keys, delegateProcess) {
      key, arrival in
      lines.firstEnds[key].map { arrival.readNanoseconds - $0 }
    }
    LatencyTable.latency("  of which: the read to the delegate", keys, delegateProcess) {
      _, arrival in
      arrival.atNanoseconds - arrival.readNanoseconds
    }
    LatencyTable.latency("gpsd: last byte to libgps client", keys, client) { key, arrival in
      lines.secondEnds[key].map { arrival.nanoseconds(since: $0) }
    }
    LatencyTable.usageHeading()
    for (process, (from, to)) in zip(processes, zip(before, after)) {
      LatencyTable.usage(process.name, from: from, to: to, seconds: seconds)
    }
  }

  private static func arguments(for pipe: FeedPipe) -> [String] {
    ["replay", "--json", "--speed", "max", pipe.path]
  }
}
