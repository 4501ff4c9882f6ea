// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Positioning
internal import ReceiverSimulator
import Receivers
internal import SystemSupport

/// `fixcast simulate`: a simulated receiver for any program.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Simulate a GPS receiver on a pseudo-terminal.",
    discussion: """
      Prints the device node of the pseudo-terminal on the first line of standard output, then \
      sends NMEA until it is stopped. The stream marks its data as simulated.

      Examples:
        fixcast simulate --hz 10 --link /tmp/gps &
        gpsd -N -n /tmp/gps
      """)

  @Option(parsing: .unconditional, help: "Epochs per second, 1 to 25.")
  var hz: Int = 1

  @Option(help: "GPX file with the track or route to follow.", completion: .file())
  var route: String?

  @Option(
    parsing: .unconditional,
    help: "Limit the data rate to a serial line of this baud rate (default: unlimited).")
  var baud: Int?

  @Option(
    parsing: .unconditional, help: "Random seed; the same seed and start give identical output.")
  var seed: UInt64 = 1

  @Option(help: "Time of the first epoch, such as 2026-11-21T12:00:00Z (default: now).")
  var start: UTCTime?

  @Option(parsing: .unconditional, help: "Speed in metres per second, 0 to 515.")
  var speed: Double = 10

  @Option(help: "Path of a symbolic link to create to the pseudo-terminal.", completion: .file())
  var link: String?

  @Option(parsing: .unconditional, help: "Time in seconds after which to stop.")
  var duration: Double?

  func validate() throws {
    if let duration, !(0...1e9).contains(duration) {
      throw ValidationError("--duration takes 0 to 1000000000 seconds, not \(duration).")
    }
  }

  func run() async throws {
    let stop = StopSignals()
    let (delay, begin) = firstEpoch()
    var configuration = SimulatedReceiver.Configuration(start: begin)
    if let route { configuration.route = try Self.readRoute(route) }
    configuration.rateHertz = hz
    configuration.seed = seed
    configuration.speedMetersPerSecond = speed
    let simulated = try connect(configuration)
    let devnode = simulated.terminal.devnode
    let linked = try link.map { path in try DevnodeLink(at: path, to: devnode) }

    do { try Output.write(Array("\(devnode)\n".utf8)) } catch {
      linked?.remove()
      throw error
    }
    let line = baud.map { "paced at \($0) baud" } ?? "each epoch at once"
    StandardError.print(
      "simulating a receiver on \(linked?.path ?? devnode): \(hz) Hz, \(line), seed \(seed); "
        + "stop with Ctrl-C")

    let limit = duration.map { Duration.seconds($0) }
    await stop.untilSignal { await simulated.run(for: limit, after: delay) }
    linked?.remove()
    simulated.terminal.hangUp()
    let counters = simulated.counters
    StandardError.print(
      "sent \(counters.epochs) epochs, \(counters.bytes) bytes; \(counters.skippedEpochs) epochs "
        + "skipped; \(simulated.terminal.droppedByteCount) bytes dropped without a reader")
  }

  /// Returns the time of the first epoch and the delay until that time.
  ///
  /// Epochs are on whole seconds of UTC, like those of a receiver. Without `--start`, the first
  /// epoch is at the next whole second of the system clock.
  private func firstEpoch() -> (delay: Duration, time: UTCTime) {
    if let start { return (.zero, start) }
    let now = SystemClock.utcNow()
    let delay = Duration.nanoseconds(1_000_000_000 - Int64(now.nanosecond))
    return (delay, UTCTime(secondsSince1970: now.secondsSince1970 + 1))
  }

  private func connect(
    _ configuration: SimulatedReceiver.Configuration
  ) throws -> SimulatedTerminal {
    do {
      let receiver = try SimulatedReceiver(configuration)
      // The terminal is world-writable, because gpsd reopens its devices as another user. Simulated
      // positions need no protection.
      let terminal = try PseudoTerminal(permissions: 0o666)
      return try SimulatedTerminal(receiver: receiver, terminal: terminal, baud: baud)
    } catch let error as SimulationError {
      throw CommandFailure.usage("simulate: \(error)")
    } catch let error as LinePacerError {
      throw CommandFailure.usage("simulate: --baud: \(error)")
    } catch let error as SerialError {
      throw CommandFailure.unavailable("simulate: \(error)")
    }
  }

  private static func readRoute(_ path: String) throws -> SimulatedRoute {
    do {
      return try SimulatedRoute(gpxFile: path)
    } catch let error as ReplayError {
      throw CommandFailure.noInput("simulate: --route \(error)")
    } catch let error as GPXError {
      throw CommandFailure.noData("simulate: --route \(path): \(error)")
    }
  }
}
