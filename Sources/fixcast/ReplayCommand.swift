// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
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
      Weather is looked up only where --weather-url names a provider, since a lookup tells it \
      where the log was recorded (to hundredths of a degree).

      Exits 65 where nothing could be decoded, 66 where the file cannot be read, 69 where \
      --weather-url was given and no weather came.
      """)

  @Argument(help: "The log.")
  var file: String

  @Option(name: .long, help: "Times the recorded pace: a number, or max for as fast as it goes.")
  var speed = "1"

  @Option(name: .long, help: "Base URL of a provider that speaks Open-Meteo's protocol.")
  var weatherURL: String?

  @Flag(name: .long, help: "Print one JSON object a line; what people are told goes to stderr.")
  var json = false

  private var pace: ReplayPace? {
    speed == "max" ? .immediate : Double(speed).flatMap(ReplayPace.times)
  }

  func validate() throws {
    guard pace != nil else {
      throw ValidationError("--speed takes a number from 0.001 to 100000, or max, not \(speed).")
    }
    if let weatherURL, !ProviderURL.isUsable(weatherURL) {
      throw ValidationError(
        "--weather-url takes a URL with http:// or https:// and a host, not \(weatherURL).")
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
    let output = CommandOutput(json: json)
    let summary: RunSummary
    do {
      var replay = Replay(file: file, pace: pace ?? .recorded, weatherURL: weatherURL)
      let stop = StopSignals()
      replay.interruption = { await stop.wait() }
      summary = try await replay.run(into: output.sink(isLive: pace != .immediate))
    } catch {
      throw CommandFailure.noInput("\(error)")
    }
    output.say(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw CommandFailure.inputOutput("standard output takes no more")
    }
    if let failure = summary.sourceFailure { throw CommandFailure.noInput(failure) }
    guard summary.input.sentences > 0 else {
      throw CommandFailure.noData(
        "\(file) holds no NMEA sentence with a right checksum; \(summary.input.explanation)")
    }
    if let weatherURL, summary.pipeline.locations > 0, summary.pipeline.lookupsAnswered == 0 {
      throw CommandFailure.unavailable(
        "no weather came from \(weatherURL); see the lines above for why")
    }
  }
}
