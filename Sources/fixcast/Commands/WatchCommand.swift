// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import Glibc
import LocationServices
import Pipeline
import Plugins
import Positioning
import Receivers
import Synchronization
import WeatherFeature

/// `fixcast watch`: fix, sky, receiver, path and weather, live.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show fix, sky, receiver, path and weather, live, each with its age.",
    discussion: """
      Redraws in place on a terminal, and prints a line a change elsewhere. Waits for a receiver \
      that is not there yet. The weather comes from Open-Meteo (non-commercial use) or whom \
      --provider or the configuration names, told where the board is, to hundredths of a degree; \
      --no-weather and enabled = false below [weather] tell nobody. Without a network the stored forecast and the board's own sensors answer, and say \
      that they do. What 'fixcast auth' or a policy file says against whoever runs it holds.

      Exits 65 where a recording holds nothing, 66 where it is not there, 69 where another source \
      fails for good or --seconds are over without a receiver, 75 where they are over without a \
      fix, 77 where you may not know.
      """)

  @OptionGroup var sources: SourceOptions

  @Option(name: .long, help: "End after so many seconds, 1 to 86400.")
  var seconds: Int?

  @OptionGroup var providers: ProviderOptions

  @Flag(name: .long, help: "Ask nobody for the weather.")
  var noWeather = false

  @Option(name: .long, help: "Longest wait for the weather after a lost network, 0 to 30 seconds.")
  var returnDelay = 30

  @Option(name: .long, help: "Seconds between lookups where bytes cost money, 1 to 86400.")
  var expensiveInterval: Int?

  @Option(name: .long, help: "Seconds between lookups where bytes are to be saved, 1 to 86400.")
  var constrainedInterval: Int?

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  /// What it wants locations for, in all that it asks.
  private static let purpose = "fixcast watch"
  /// How long an operator who has to answer is waited for.
  private static let patience: Duration = .seconds(60)

  var timing: ReachabilityGateTiming {
    var timing =
      returnDelay > 0
      ? ReachabilityGateTiming.jittered(upTo: .seconds(returnDelay)) : ReachabilityGateTiming()
    timing.expensiveInterval = expensiveInterval.map { .seconds($0) }
    timing.constrainedInterval = constrainedInterval.map { .seconds($0) }
    return timing
  }

  func validate() throws {
    if let seconds, !(1...86_400).contains(seconds) {
      throw ValidationError("--seconds takes 1 to 86400, not \(seconds).")
    }
    guard (0...30).contains(returnDelay) else {
      throw ValidationError("--return-delay takes 0 to 30 seconds, not \(returnDelay).")
    }
    for (name, value) in [
      ("expensive", expensiveInterval), ("constrained", constrainedInterval),
    ] {
      if let value, !(1...86_400).contains(value) {
        throw ValidationError("--\(name)-interval takes 1 to 86400 seconds, not \(value).")
      }
    }
    let intervals = [
      expensiveInterval.map { _ in "--expensive-interval" },
      constrainedInterval.map { _ in "--constrained-interval" },
    ]
    let ofWeather = providers.given + intervals.compactMap(\.self)
    if noWeather, !ofWeather.isEmpty {
      throw ValidationError(
        "--no-weather and \(ofWeather.joined(separator: ", ")) contradict each other.")
    }
  }

  /// The daemon with its word on what may be known, where it answers; else what was named.
  private func opened() async throws -> (SourceSession, any AuthorizationPolicy) {
    if let daemon = try sources.daemon() {
      return try await DaemonAccess.session(daemon, purpose: Self.purpose)
    }
    // A port is waited for, and this one would be for as long as the daemon runs.
    if let reader = sources.readByDaemon {
      guard sources.source.count > 1 else { throw CommandFailure.unavailable(reader) }
      StandardError.print("fixcast: \(reader)")
    }
    let consent = try await LocationConsent(purpose: Self.purpose, timeout: Self.patience)
    return (try sources.session(), consent.continuing)
  }

  /// Whom to ask; `nil` for nobody, as the options or the board's configuration say.
  private func supply() async throws -> WeatherServiceConfiguration? {
    guard !noWeather else { return nil }
    let (supply, refusal) = try await providers.boardSupply(servedBy: sources.daemon())
    guard let refusal else { return supply }
    StandardError.print("fixcast: \(refusal)")
    return nil
  }

  func run() async throws {
    let supply = try await supply()
    let output = Output(json: json)
    let (session, policy) = try await opened()
    var watch = Watch(
      session: session, weather: supply, duration: seconds.map { .seconds($0) })
    watch.policy = policy
    (watch.purpose, watch.request) = (Self.purpose, LocationConsent.request)
    watch.timing = timing
    watch.isHere = !sources.source.contains { $0.hasPrefix("replay:") }
    let stop = StopSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    let clock = ContinuousClock()
    let start = clock.now
    let summary: RunSummary
    var failure: (any Error)?
    let isRead = Mutex(true)
    if !json, let terminal = Terminal(descriptor: STDOUT_FILENO) {
      let screen = WatchScreen(
        terminal: terminal,
        usesColor: DescriptorOutput(descriptor: STDOUT_FILENO).wantsColor,
        source: watch.session.source.name, wantsWeather: supply != nil)
      // Ends with the first signal, or with a terminal that is gone.
      watch.interruption = {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await stop.wait() }
          group.addTask { await screen.run() }
          await group.next()
          group.cancelAll()
        }
      }
      summary = await watch.run(into: screen)
      await screen.end()
      failure = await screen.failure.map { CommandFailure.inputOutput("terminal: \($0)") }
    } else {
      watch.interruption = {
        if await !stop.waitWhileRead() { isRead.withLock { $0 = false } }
      }
      let sink = output.sink(isLive: true)
      summary = await watch.run(into: json ? sink : WatchLines(sink))
    }
    // What it was told last is in the log by the time that it is gone.
    await (policy as? PolicyFiles)?.flush()
    if let failure { throw failure }
    // Whoever has gone has what they wanted.
    guard isRead.withLock({ $0 }) else { throw Output.failure(EPIPE) }
    if summary.pipeline.failedSinks > 0 { throw output.failure }
    try check(summary, session.situation, policy, elapsed: start.duration(to: clock.now))
  }

  private func check(
    _ summary: RunSummary, _ situation: SourceSituation, _ policy: any AuthorizationPolicy,
    elapsed: Duration
  ) throws {
    let isTimedOut = seconds.map { elapsed >= .seconds($0) } ?? false
    if summary.sourceFailure != nil || !isTimedOut {
      let failure = sources.failure(
        ofEnded: summary.sourceFailure, summary.input, sources.source.joined(separator: ", "))
      if let failure { throw failure }
    }
    guard let seconds, isTimedOut, summary.pipeline.locations == 0 else { return }
    if let session = policy as? DaemonSession,
      session.authorization.authorization.status == .notDetermined
    {
      throw CommandFailure.notPermitted(DaemonAccess.undecided)
    }
    let advice = situation.summary ?? "see fixcast doctor"
    throw situation.hadReceiver
      ? CommandFailure.temporary("no fix came in \(seconds) s; \(advice)")
      : CommandFailure.unavailable("no receiver in \(seconds) s; \(advice)")
  }
}
