// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Positioning
internal import ReceiverSimulator
import Receivers
internal import SystemSupport

/// `fixcast simulate`: a receiver without hardware, for any program.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Be a receiver on a pseudo-terminal, for any program.",
    discussion: """
      Prints the devnode of the pseudo-terminal on the first line of standard output and sends \
      NMEA to it until it is stopped. The stream says of itself that it is simulated.

        fixcast simulate --hz 10 --link /tmp/gps &
        gpsd -N -n /tmp/gps
      """)

  @Option(help: "Epochs a second, 1 to 25.")
  var hz: Int = 1

  @Option(help: "Drive the track or route of this GPX file.")
  var route: String?

  @Option(help: "Send no faster than a serial line of this speed; at once without it.")
  var baud: Int?

  @Option(help: "What noise and sky are drawn from; the same seed and start give the same bytes.")
  var seed: UInt64 = 1

  @Option(help: "Time of the first epoch, such as 2026-11-21T12:00:00Z; now without it.")
  var start: UTCTime?

  @Option(help: "Metres per second, 0 to 515.")
  var speed: Double = 10

  @Option(help: "Make a symbolic link to the pseudo-terminal here.")
  var link: String?

  @Option(help: "Stop after this many seconds.")
  var duration: Double?

  func validate() throws {
    if let duration, !(0...1e9).contains(duration) {
      throw ValidationError("--duration \(duration): give 0 to 1000000000 seconds")
    }
  }

  func run() async throws {
    let stop = StopSignals()
    let (delay, begin) = beginning()
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
    let line = baud.map { "as a line of \($0) baud" } ?? "each epoch at once"
    StandardError.print(
      "simulating a receiver on \(linked?.path ?? devnode): \(hz) Hz, \(line), seed \(seed); "
        + "stop with Ctrl-C")

    let limit = duration.map { Duration.seconds($0) }
    await stop.untilSignal { await simulated.run(for: limit, after: delay) }
    linked?.remove()
    simulated.terminal.hangUp()
    let counters = simulated.counters
    StandardError.print(
      "sent \(counters.epochs) epochs, \(counters.bytes) bytes; skipped \(counters.skippedEpochs) "
        + "epochs; \(simulated.terminal.droppedByteCount) bytes had no reader")
  }

  /// When the first epoch is, and how long it is till then.
  ///
  /// Like a receiver's, epochs lie on whole seconds of UTC: without `--start` the first is the
  /// next of the clock.
  private func beginning() -> (delay: Duration, time: UTCTime) {
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
      // Simulated positions are no secret, and gpsd reopens its devices as another user.
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
