// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import LocationServices
import Pipeline
import Positioning

@testable import Daemon

/// The daemon's parts in a faulty environment.
///
/// The daemon's socket, signals and log are not included.
final class FaultFixture {
  let environment: FaultEnvironment
  let witness: WitnessSink
  let daemon: Daemon
  let parts: Daemon.Parts
  private let folder: ScratchFolder
  private var tasks: [Task<Void, Never>] = []

  // The names of the sinks.
  static let full = "full"
  static let track = "track"
  static let blocked = "blocked"
  static let crashing = "crashing"

  init(seed: UInt64, _ stepper: SteppedTasks) throws {
    folder = try ScratchFolder()
    guard let volume = SmallVolume(bytes: 48 << 20) else { throw NoVolume() }
    let environment = FaultEnvironment(
      volume: volume, pipe: try FaultPipe(stepper), seed: seed, thread: { stepper.thread() })
    self.environment = environment
    let witness = WitnessSink(now: environment.clock.reading)
    self.witness = witness
    try folder.write("config.toml", Self.configuration(folder.path, volume.path))
    let loader = ConfigurationLoader(files: ConfigurationFiles(file: folder.path + "/config.toml"), catalog: .known)
    daemon = Daemon(
      loader, try loader.load().get(), environment: ["FIXCAST_ROOT": folder.path],
      dependencies: environment.dependencies)
    parts = daemon.assemble(
      policy: AllowAll(initially: .authorizedAlways),
      ownSinks: [PluginSpecification(witness.name, .sink { witness })], publish: { _, _ in },
      report: { _ in })
  }

  struct NoVolume: Error {}

  func start() {
    let (daemon, parts, environment) = (daemon, parts, environment)
    tasks = [
      Task {
        await daemon.pipeline.run()
        environment.recordEnd(of: "pipeline")
      },
      Task {
        await parts.sources.run()
        environment.recordEnd(of: "sources")
      },
      Task {
        await daemon.followPath()
        environment.recordEnd(of: "path")
      },
    ]
  }

  /// Stops all parts, so that this run does not affect the next run.
  func stop(_ stepper: SteppedTasks) {
    environment.pipe.release()
    for task in tasks { task.cancel() }
    stepper.settle()
    for _ in 0..<20 {
      environment.clock.advance(by: .seconds(1))
      stepper.settle()
    }
  }

  /// Writes a valid or an invalid configuration, and reloads it.
  func configure(isBroken: Bool) throws {
    let text = Self.configuration(folder.path, environment.volume.path)
    try folder.write("config.toml", text + (isBroken ? "[[sink]]\ntype = \"gxp\"\n" : ""))
    parts.reloader.reload()
  }

  private static func configuration(_ folder: String, _ volume: String) -> String {
    """
    [daemon]
    socket = "\(folder)/s"
    state_directory = "\(folder)/state"
    log_level = "critical"
    [[source]]
    type = "serial"
    device = "\(FaultFixture.devnode)"
    [[source]]
    type = "gpsd"
    [[gate]]
    type = "reachability"
    max_release_delay_seconds = 0
    [[gate]]
    type = "interval"
    min_seconds = 20
    [[stage]]
    type = "weather"
    [[sink]]
    type = "jsonlines"
    name = "\(full)"
    file = "\(volume)/lines.jsonl"
    limit_bytes = 0
    [[sink]]
    type = "gpx"
    name = "\(track)"
    file = "\(volume)/track.gpx"
    interval_seconds = 60
    [[sink]]
    type = "jsonlines"
    name = "\(blocked)"
    [[sink]]
    type = "exec"
    name = "\(crashing)"
    command = ["\(FaultPrograms.path)"]

    """
  }

  static let devnode = "/dev/fixcast-gps0"
}
