// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Glibc
import Pipeline
import Positioning
import Receivers

/// `fixcast replay FILE`: plays a recorded log through the whole pipeline.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a recorded log through the whole pipeline.",
    discussion: """
      Weather is looked up only if --provider or --weather-url is given, since a lookup reveals \
      where the log was recorded (to hundredths of a degree). However fast the log is played, a \
      --provider gets no more requests than it allows, and its earlier reports are reused. A \
      --weather-url without --provider is a server of your own that speaks Open-Meteo's protocol.

      Exits 65 if nothing could be decoded, 66 if the file cannot be read, 69 if a provider was \
      given and no weather arrived.
      """)

  @Argument(help: "The log.")
  var file: String

  @Option(name: .long, help: "Multiple of the recorded pace, or 'max' for no delays.")
  var speed = "1"

  @OptionGroup var providers: ProviderOptions

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
    let output = Output(json: json)
    let summary: RunSummary
    do {
      var replay = Replay(file: file, pace: pace ?? .recorded, weatherURL: ownServer)
      replay.weather = weatherConfiguration
      let stop = StopSignals()
      replay.interruption = { await stop.wait() }
      summary = try await replay.run(into: output.sink(isLive: pace != .immediate))
    } catch {
      throw CommandFailure.noInput("\(error)")
    }
    output.printMessage(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw output.failure
    }
    if let failure = summary.sourceFailure { throw CommandFailure.noInput(failure) }
    guard summary.input.sentences > 0 else {
      throw CommandFailure.noData(
        "\(file) contains no NMEA sentence with a valid checksum; \(summary.input.explanation)")
    }
    let provider =
      weatherConfiguration == nil ? ownServer : providers.provider.joined(separator: ", ")
    if let provider, summary.pipeline.locations > 0, summary.pipeline.lookupsAnswered == 0 {
      throw CommandFailure.unavailable(
        "no weather report from \(provider); see the lines above for the reason")
    }
  }
}
