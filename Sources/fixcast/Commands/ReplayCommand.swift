// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Glibc
import Pipeline
import Positioning
import Receivers

/// `fixcast replay FILE`: a recorded log through the whole pipeline.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a recorded log through the whole pipeline.",
    discussion: """
      Weather is looked up only where --provider or --weather-url names whom to ask, since a \
      lookup tells it where the log was recorded (to hundredths of a degree). A --provider is \
      asked no more than it allows, however fast the log is played, and what it said before is \
      told again; a --weather-url alone is a server of your own that speaks Open-Meteo's protocol.

      Exits 65 where nothing could be decoded, 66 where the file cannot be read, 69 where a \
      provider was named and no weather came.
      """)

  @Argument(help: "The log.")
  var file: String

  @Option(name: .long, help: "Times the recorded pace: a number, or max for as fast as it goes.")
  var speed = "1"

  @OptionGroup var providers: ProviderOptions

  @Flag(name: .long, help: "Print one JSON object a line; what people are told goes to stderr.")
  var json = false

  /// The server that is asked where no provider is named.
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
        "\(providers.given.joined(separator: ", ")): for a --provider; name one.")
    }
    guard file != "-" else {
      throw ValidationError(
        "replay needs a file; decode reads standard input (./- is a file of that name).")
    }
  }

  /// Fails where the log cannot be read, before anything is printed.
  ///
  /// Without opening it: a named pipe is read once, by whoever opens it.
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
    let supply = providers.provider.isEmpty ? nil : try providers.supply()
    let output = Output(json: json)
    let summary: RunSummary
    do {
      var replay = Replay(file: file, pace: pace ?? .recorded, weatherURL: ownServer)
      replay.weather = supply
      let stop = StopSignals()
      replay.interruption = { await stop.wait() }
      summary = try await replay.run(into: output.sink(isLive: pace != .immediate))
    } catch {
      throw CommandFailure.noInput("\(error)")
    }
    output.say(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw output.failure
    }
    if let failure = summary.sourceFailure { throw CommandFailure.noInput(failure) }
    guard summary.input.sentences > 0 else {
      throw CommandFailure.noData(
        "\(file) holds no NMEA sentence with a right checksum; \(summary.input.explanation)")
    }
    let asked = supply == nil ? ownServer : providers.provider.joined(separator: ", ")
    if let asked, summary.pipeline.locations > 0, summary.pipeline.lookupsAnswered == 0 {
      throw CommandFailure.unavailable(
        "no weather came from \(asked); see the lines above for why")
    }
  }
}
