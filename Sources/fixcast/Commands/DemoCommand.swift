// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Pipeline
import Plugins
import Positioning
import Receivers
import WeatherClientLive

/// `fixcast demo`: everything but the antenna, then a summary.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show everything but the antenna; needs no hardware, network or root.",
    discussion: """
      A simulated receiver on a pseudo-terminal, opened as a USB dongle would be, through \
      authorization, pipeline, reachability and weather. Halfway a script withdraws the path to \
      the weather provider for three seconds.

      With --scene, a weather feature instead, in one situation that its clients play: each change \
      of what it shows is a line.

      Without --scene, exits 75 where no fix came, 69 where no weather came.
      """)

  @Option(
    name: .long,
    help: "How long to run, in seconds, 5 to 86400 (default: 20, or what the scene takes).")
  var seconds: Int?

  @Flag(name: .long, help: "Ask the real Open-Meteo (non-commercial use) for the weather.")
  var live = false

  @Flag(name: .long, help: "Print one JSON object a line; what people are told goes to stderr.")
  var json = false

  @Option(name: .long, help: "Play a situation of the weather feature; list names them all.")
  var scene: String?

  func validate() throws {
    if let seconds, !(5...86_400).contains(seconds) {
      throw ValidationError("--seconds takes 5 to 86400, not \(seconds).")
    }
    guard let scene else { return }
    if live { throw ValidationError("--live asks a real provider, and a scene plays one.") }
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
    if let found = scenes.first(where: { $0.name == scene }) {
      return try await play(found, output)
    }
    for scene in scenes { try Output.write(ScenePrinter(json: json).line(scene)) }
  }

  private func play(_ scene: DemoScene, _ output: Output) async throws {
    output.say("fixcast demo: \(scene.name), \(scene.summary); nothing here is real")
    let player = ScenePlayer(scene: scene, length: seconds.map { .seconds($0) } ?? scene.length)
    let printer = ScenePrinter(json: json)
    await StopSignals().untilSignal {
      await player.play { elapsed, state, age in
        (try? output.write(printer.line(state, after: elapsed, knownAge: age))) != nil
      }
    }
    try output.check()
  }

  private func showAll(_ output: Output) async throws {
    let seconds = seconds ?? 20
    output.say("fixcast demo: \(seconds) s, nothing here is a real position")
    let summary: RunSummary
    do {
      var demo = Demo(
        duration: .seconds(seconds),
        live: live ? ProviderOptions.supply([WeatherService.Source(OpenMeteo())]) : nil)
      let stop = StopSignals()
      demo.interruption = { await stop.wait() }
      summary = try await demo.run(
        into: output.sink(isLive: true), say: output.say)
    } catch {
      throw CommandFailure.unavailable("\(error)")
    }
    output.say("")
    output.say(summary.text)
    if summary.pipeline.failedSinks > 0 {
      throw output.failure
    }
    if let failure = summary.sourceFailure { throw CommandFailure.unavailable(failure) }
    guard summary.pipeline.locations > 0 else {
      throw CommandFailure.temporary("no fix came in \(seconds) s")
    }
    guard summary.pipeline.enriched > 0 else {
      throw CommandFailure.unavailable("no weather came; see the lines above for why")
    }
  }
}
