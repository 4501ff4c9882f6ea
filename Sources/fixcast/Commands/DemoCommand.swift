// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import LocationClient
import Pipeline
import Plugins
import Positioning
import Receivers
import WeatherClientLive

/// `fixcast demo`: the whole program with a simulated receiver, then a summary.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show the whole program with a simulated receiver; needs no hardware or network.",
    discussion: """
      Opens a simulated receiver on a pseudo-terminal like a USB receiver and passes its fixes \
      through authorization, pipeline, reachability and weather. Halfway through, the network path \
      to the weather provider is unavailable for three seconds. Needs no root.

      With --scene, plays one situation of the weather feature instead, with scripted clients, \
      and prints a line for each change of the feature's state.

      Without --scene, exits 75 if there was no fix, 69 if there was no weather.

      Examples:
        fixcast demo
        fixcast demo --seconds 60 --json
        fixcast demo --scene denied
      """)

  @Option(
    name: .long, parsing: .unconditional,
    help: "Run time in seconds, 5 to 86400 (default: 20, or the length of the scene).")
  var seconds: Int?

  @Flag(name: .long, help: "Get the weather from the real Open-Meteo (non-commercial use).")
  var live = false

  @OptionGroup var units: UnitsOption

  @Flag(name: .long, help: "Print one JSON object per line; messages go to standard error.")
  var json = false

  @Option(
    name: .long, help: "Play a situation of the weather feature; 'list' prints the names.",
    completion: .list(DemoScene.all.map(\.name)))
  var scene: String?

  func validate() throws {
    if let seconds, !(5...86_400).contains(seconds) {
      throw ValidationError("--seconds takes 5 to 86400, not \(seconds).")
    }
    guard let scene else { return }
    if live { throw ValidationError("--live cannot be combined with --scene.") }
    if scene == "list" { return }
    guard DemoScene.all.contains(where: { $0.name == scene }) else {
      let names = DemoScene.all.map(\.name).joined(separator: ", ")
      throw ValidationError("--scene takes \(names), or list; not \(scene).")
    }
  }

  func run() async throws {
    let output = Output(json: json)
    guard let scene else { return try await showAll(output) }
    let scenes = DemoScene.all
    if let namedScene = scenes.first(where: { $0.name == scene }) {
      return try await play(namedScene, output)
    }
    for scene in scenes {
      try Output.write(ScenePrinter(json: json, format: units.format).line(scene))
    }
  }

  private func play(_ scene: DemoScene, _ output: Output) async throws {
    output.printMessage("fixcast demo: \(scene.name), \(scene.summary); all data is simulated")
    let player = ScenePlayer(scene: scene, length: seconds.map { .seconds($0) } ?? scene.length)
    let printer = ScenePrinter(json: json, format: units.format)
    await StopSignals().untilSignal {
      await player.play { elapsed, state, age in
        let line = printer.line(
          state, after: elapsed, weatherAge: age,
          accuracy: scene.locationClient.accuracyAuthorization())
        return (try? output.write(line)) != nil
      }
    }
    try output.check()
  }

  private func showAll(_ output: Output) async throws {
    let seconds = seconds ?? 20
    output.printMessage("fixcast demo: \(seconds) s, all positions are simulated")
    let summary: RunSummary
    do {
      var demo = Demo(
        duration: .seconds(seconds),
        live: live
          ? ProviderOptions.weatherConfiguration([WeatherService.Source(OpenMeteo())]) : nil)
      let stop = StopSignals()
      demo.interruption = { await stop.wait() }
      summary = try await demo.run(
        into: output.sink(isLive: true, format: units.format), printMessage: output.printMessage)
    } catch {
      throw CommandFailure.unavailable("\(error)")
    }
    output.printMessage("")
    output.printMessage(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw output.failure
    }
    if let failure = summary.sourceFailure { throw CommandFailure.unavailable(failure) }
    guard summary.pipeline.locations > 0 else {
      throw CommandFailure.temporary("no fix in \(seconds) s")
    }
    guard summary.pipeline.enriched > 0 else {
      throw CommandFailure.unavailable("no weather report; see the lines above for the reason")
    }
  }
}
