// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Benchmarks for the figures in the article Benchmarks.
///
/// `run.sh` in this folder runs all of them.
///
/// `fixcast-bench parse|decode FILE ROUNDS` works in memory, in one thread, and prints the time.
/// For instruction counts, `run.sh` runs these two under valgrind with 2 and with 4 rounds.
/// `gpsd-latency` measures real processes on real pseudo-terminals.
@main
struct Bench {
  static func main() async throws {
    let arguments = CommandLine.arguments
    // The child processes of `gpsd-latency`.
    if arguments.count == 3 {
      switch arguments[1] {
      case "probe-delegate": return await DelegateProbe.run(devnode: arguments[2])
      case "probe-libgps": return LibGPSProbe.run(port: arguments[2])
      default: usage()
      }
    }
    guard arguments.count == 4, let rounds = Int(arguments[3]), rounds > 0 else { usage() }
    if arguments[1] == "coverage" { return CoverageBench.run(folder: arguments[2]) }
    if arguments[1] == "places" { return PlacesBench.run(queries: rounds) }
    if arguments[1] == "latency" { return LatencyBench.run(epochs: rounds) }
    if arguments[1] == "gpsd-latency" {
      return GPSDLatencyBench.run(program: arguments[2], epochs: rounds)
    }
    if arguments[1] == "gpsd-server-latency" {
      return try await GPSDServerLatencyBench.run(program: arguments[2], epochs: rounds)
    }
    if arguments[1] == "group" {
      return await GroupEvents.run(opensCandidates: arguments[2] == "candidates")
    }
    if arguments[1] == "simulate" { return SimulatedLog.write(to: arguments[2], epochs: rounds) }
    let bytes = LogFile.load(arguments[2])
    guard !bytes.isEmpty else {
      print("fixcast-bench: \(arguments[2]): empty or not readable")
      exit(66)
    }
    switch arguments[1] {
    case "parse": ParseBench.run(bytes, rounds: rounds)
    case "decode": DecodeBench.run(bytes, rounds: rounds)
    default: usage()
    }
  }

  static func usage() -> Never {
    print(
      """
      usage: fixcast-bench parse|decode FILE ROUNDS | latency - EPOCHS | simulate FILE EPOCHS
             | gpsd-latency FIXCAST|- EPOCHS | gpsd-server-latency FIXCAST EPOCHS
             | group candidates|- 1 | places - QUERIES | coverage FOLDER 1
      """)
    exit(64)
  }
}
