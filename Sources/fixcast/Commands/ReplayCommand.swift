// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Glibc
import Pipeline
import Plugins
import Positioning
import Receivers

/// `fixcast replay FILE`: plays a recorded log through the whole pipeline.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a recorded log through the whole pipeline.",
    discussion: """
      Weather is looked up only if --provider or --weather-url is given, since a lookup reveals \
      where the log was recorded (to hundredths of a degree). A fast replay also respects the \
      request limits of a --provider and reuses earlier reports of the provider. A \
      --weather-url without --provider is a server of your own that speaks Open-Meteo's protocol.

      Exits 65 if nothing could be decoded, 66 if the file cannot be read, 69 if a provider was \
      given and no weather arrived.

      Examples:
        fixcast replay track.nmea
        fixcast replay track.nmea --speed max --json
      """)

  @Argument(help: "The log.", completion: .file())
  var file: String

  @Option(
    name: .long, parsing: .unconditional,
    help: "Multiple of the recorded pace, or 'max' for no delays.")
  var speed = "1"

  @Flag(name: .long, help: "Also accept sentences without a checksum.")
  var allowMissingChecksum = false

  @OptionGroup var providers: ProviderOptions

  @Option(name: .long, help: "Output format (default: text); messages go to standard error.")
  var format: DecodedFormat?

  @OptionGroup var units: UnitsOption

  @Flag(name: .long, help: "Print one JSON object per line; messages go to standard error.")
  var json = false

  /// The URL of the user's own weather server; used if no provider is named.
  private var ownServer: String? { providers.weatherURL.first?.value }

  private var pace: ReplayPace? {
    speed == "max" ? .immediate : Double(speed).flatMap(ReplayPace.times)
  }

  func validate() throws {
    guard pace != nil else {
      throw ValidationError("--speed takes a number from 0.001 to 100000, or max, not \(speed).")
    }
    if providers.provider.isEmpty, providers.given.contains(where: { $0 != "--weather-url" }) {
      throw ValidationError(
        "\(providers.given.joined(separator: ", ")): requires --provider.")
    }
    if json, let format, format != .jsonlines {
      throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
    }
    guard file != "-" else {
      throw ValidationError(
        "replay needs a file; decode reads standard input (./- is a file named -).")
    }
  }

  /// Throws if the log cannot be read.
  ///
  /// Does not open the file, since a named pipe can be opened and read only once.
  private func checkFile() throws {
    var status = stat()
    if stat(file, &status) != 0 || access(file, R_OK) != 0 {
      throw CommandFailure.noInput("\(file): \(Descriptor.text(of: errno))")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw CommandFailure.noInput("\(file): \(Descriptor.text(of: EISDIR))")
    }
  }

  func run() async throws {
    try checkFile()
    let weatherConfiguration =
      providers.provider.isEmpty ? nil : try providers.weatherConfiguration()
    let output = Output(json: json || format != nil)
    let track = format?.track.map { TrackSink($0, output: output) }
    let sink: any Sink =
      track.map { $0 as any Sink } ?? output.sink(isLive: pace != .immediate, format: units.format)
    let summary: RunSummary
    do {
      var replay = Replay(file: file, pace: pace ?? .recorded, weatherURL: ownServer)
      replay.weather = weatherConfiguration
      replay.allowsMissingChecksum = allowMissingChecksum
      let stop = StopSignals()
      replay.interruption = { await stop.wait() }
      summary = try await replay.run(into: sink)
    } catch {
      throw CommandFailure.noInput("\(error)")
    }
    if let track {
      await track.finish()
      try output.check()
    }
    output.printMessage(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw output.failure
    }
    if let failure = summary.sourceFailure { throw CommandFailure.noInput(failure) }
    guard !summary.input.hasDecodedNothing else {
      throw CommandFailure.noData(
        "\(file): nothing decoded: "
          + summary.input.explanation(of: ForeignFileFormat(path: file), file: file))
    }
    let provider =
      weatherConfiguration == nil ? ownServer : providers.provider.joined(separator: ", ")
    if let provider, summary.pipeline.locations > 0, summary.pipeline.lookupsAnswered == 0 {
      throw CommandFailure.unavailable(
        "no weather report from \(provider); see the lines above for the reason")
    }
  }
}
