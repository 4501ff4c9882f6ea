// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
import Pipeline
import Positioning
import Receivers

/// `fixcast demo`: everything but the antenna, then a summary.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show everything but the antenna; needs no hardware, network or root.",
    discussion: """
      A simulated receiver on a pseudo-terminal, opened as a USB dongle would be, through \
      authorization, pipeline, reachability and weather. Halfway a script withdraws the path to \
      the weather provider for three seconds.

      Exits 75 where no fix came, 69 where no weather came.
      """)

  @Option(name: .long, help: "How long to run, in seconds, 5 to 86400.")
  var seconds = 20

  @Flag(name: .long, help: "Ask the real Open-Meteo (non-commercial use) for the weather.")
  var live = false

  @Flag(name: .long, help: "Print one JSON object a line; what people are told goes to stderr.")
  var json = false

  func validate() throws {
    guard (5...86_400).contains(seconds) else {
      throw ValidationError("--seconds takes 5 to 86400, not \(seconds).")
    }
  }

  func run() async throws {
    let output = CommandOutput(json: json)
    output.say("fixcast demo: \(seconds) s, nothing here is a real position")
    let summary: RunSummary
    do {
      var demo = Demo(duration: .seconds(seconds), isLive: live)
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
      throw CommandFailure.inputOutput("standard output takes no more")
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
