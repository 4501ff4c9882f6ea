// SPDX-License-Identifier: Apache-2.0

import FixcastTestSupport
import Glibc
import Positioning
import Receivers

/// The latency from the last byte of an epoch on a serial line to a client of the daemon's gpsd
/// server, compared with a client of gpsd.
///
/// The daemon and gpsd read identical lines, and two identical processes with libgps read from
/// them. Times are measured as in ``GPSDLatencyBench``. As root, gpsd sets its own nice value to
/// -10.
enum GPSDServerLatencyBench {
  private static let gpsd = "/usr/sbin/gpsd"
  private static let maxEpochsToBegin = 300
  private static let warmUpEpochs = 50
  private static let epochsToSettle = 10

  /// Measures a number of epochs and prints tables.
  ///
  /// - Parameters:
  ///   - program: The fixcast program.
  ///   - epochs: The number of epochs.
  /// - Throws: An error if a process, a port or a pseudo-terminal is unavailable.
  static func run(program: String, epochs: Int) async throws {
    guard access(gpsd, X_OK) == 0 else { return print("gpsd is not installed: not measured") }
    let (ownPort, gpsdPort) = (try ReservedPort(), try ReservedPort())
    defer {
      ownPort.release()
      gpsdPort.release()
    }
    var lines = try TwinLines(
      startingAt: UTCTime(secondsSince1970: Int64(time(nil))), pipe: nil)
    let folder = try ScratchFolder()
    let environment = try configure(folder, devnode: lines.first.devnode, port: ownPort.number)
    let allowed = try await ChildProcess.run(
      path: program,
      arguments: [
        "auth", "allow", "uid=\(geteuid())", "--always", "--state-directory",
        folder.path + "/state",
      ], environment: environment)
    guard allowed.code == 0 else {
      return print("fixcast-bench: \(allowed.lines.joined(separator: "\n"))")
    }

    // Without separate keys, several gpsd processes on one host would share a memory segment.
    let memory = "GPSD_SHM_KEY=0x\(String(0x4650_0000 + Int(gpsdPort.number), radix: 16))"
    let processes = [
      MeasuredProcess(
        "fixcast run", path: program, ["run", "--config", folder.path + "/config.toml"],
        environment: environment.map { "\($0.key)=\($0.value)" }),
      probe("fixcast's libgps client", port: ownPort),
      MeasuredProcess(
        "gpsd", path: gpsd, ["-N", "-n", "-S", "\(gpsdPort.number)", lines.second.devnode],
        environment: [memory]),
      probe("gpsd's libgps client", port: gpsdPort),
    ].compactMap { $0 }
    defer { for process in processes { process.end() } }
    guard processes.count == 4 else { return print("fixcast-bench: cannot start a process") }
    measure(processes, &lines, epochs: epochs)
  }

  /// Writes the daemon's configuration and returns its environment.
  private static func configure(
    _ folder: borrowing ScratchFolder, devnode: String, port: UInt16
  ) throws -> [String: String] {
    try folder.makeFolder("root")
    try folder.write(
      "config.toml",
      """
      [daemon]
      state_directory = "\(folder.path)/state"
      [weather]
      enabled = false
      [gpsd_server]
      listen = ["127.0.0.1:\(port)"]
      [[source]]
      type = "serial"
      device = "\(devnode)"

      """)
    return ["FIXCAST_SOCKET": folder.path + "/socket", "FIXCAST_ROOT": folder.path + "/root"]
  }

  private static func probe(_ name: String, port: ReservedPort) -> MeasuredProcess? {
    MeasuredProcess(
      name, path: "/proc/self/exe", ["probe-libgps", "\(port.number)"], reportsArrivals: true)
  }

  /// Sends the epochs and prints the tables; `processes` are the daemon, gpsd, and after each its
  /// client.
  private static func measure(
    _ processes: [MeasuredProcess], _ lines: inout TwinLines, epochs: Int
  ) {
    let (own, other) = (processes[1], processes[3])
    func collect() { for client in [own, other] { client.collect() } }
    for _ in 0..<maxEpochsToBegin where own.arrivals.isEmpty || other.arrivals.isEmpty {
      _ = lines.sendEpoch()
      collect()
    }
    guard !own.arrivals.isEmpty, !other.arrivals.isEmpty else {
      return print(
        "fixcast-bench: no fix received; fixcast's client \(own.arrivals.count), gpsd's client",
        other.arrivals.count)
    }
    for _ in 0..<warmUpEpochs { _ = lines.sendEpoch() }

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
      collect()
    }
    let after = processes.map(\.usage)
    let seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
    // Wait for the last arrival.
    MonotonicClock.sleep(untilNanoseconds: MonotonicClock.nanoseconds() + 500_000_000)
    collect()

    LatencyTable.describe(lines, epochs: epochs)
    LatencyTable.latencyHeading()
    LatencyTable.latency("fixcast: last byte to libgps client", keys, own) { key, arrival in
      lines.firstEnds[key].map { arrival.nanoseconds(since: $0) }
    }
    LatencyTable.latency("gpsd: last byte to libgps client", keys, other) { key, arrival in
      lines.secondEnds[key].map { arrival.nanoseconds(since: $0) }
    }
    LatencyTable.usageHeading()
    for (process, (from, to)) in zip(processes, zip(before, after)) {
      LatencyTable.usage(process.name, from: from, to: to, seconds: seconds)
    }
  }
}
