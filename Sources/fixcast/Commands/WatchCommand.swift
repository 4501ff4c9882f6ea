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
import SystemSupport
import WeatherFeature

/// `fixcast watch`: shows fix, sky, receiver, path and weather live.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show fix, sky, receiver, path and weather live, each with its age.",
    discussion: """
      Redraws in place on a terminal; otherwise prints a line per change. Keys on a terminal: q \
      quits, u changes the units, s shows or hides the sky plot, n shows or hides the newest raw \
      sentences, ? shows or hides the list of keys. In the sky plot, north is up, ● is a used \
      satellite and ○ is an unused satellite. The table shows the signal in dB-Hz, elevation and \
      azimuth of each satellite.

      Waits for a receiver if none is connected. The weather comes from Open-Meteo \
      (non-commercial use), or from the providers of --provider or the configuration; they \
      receive the board's location, to hundredths of a degree. With --no-weather, or with \
      enabled = false in [weather], nothing is sent. Without a network the stored forecast and \
      the board's own sensors are used, marked as such. Users other than root need permission: \
      sudo fixcast auth allow USER. A recording, the simulation and gpsd on another host need none.

      Exits 65 if a recording contains no sentences, 66 if it does not exist, 69 if another source \
      fails permanently or no receiver is connected within --seconds, 75 if there is no fix within \
      --seconds, 77 if you are not authorized.

      Examples:
        fixcast watch
        fixcast watch /dev/ttyACM0 --no-weather
        fixcast watch --json --seconds 60
      """)

  @Argument(
    help: ArgumentHelp("Device of a receiver; short for --source.", valueName: "device"),
    completion: .file())
  var devices: [String] = []

  @OptionGroup var sourceOptions: SourceOptions

  @Option(
    name: .long, parsing: .unconditional, help: "Time in seconds after which to stop, 1 to 86400.")
  var seconds: Int?

  @OptionGroup var providers: ProviderOptions

  @Flag(name: .long, help: "Don't contact weather providers.")
  var noWeather = false

  @Option(
    name: .long, parsing: .unconditional,
    help: "Maximum delay of the first lookup after a network outage, 0 to 30 seconds.")
  var returnDelay = 30

  @Option(
    name: .long, parsing: .unconditional,
    help: "Seconds between lookups on an expensive connection, 1 to 86400.")
  var expensiveInterval: Int?

  @Option(
    name: .long, parsing: .unconditional,
    help: "Seconds between lookups on a constrained connection, 1 to 86400.")
  var constrainedInterval: Int?

  @OptionGroup var units: UnitsOption

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  /// The purpose in all authorization requests.
  private static let purpose = "fixcast watch"
  /// The time limit for an operator's answer.
  private static let answerTimeout: Duration = .seconds(60)
  /// The time between two requests for the daemon's status, which has the counts of lines.
  private static let statusInterval: Duration = .seconds(5)

  var timing: ReachabilityGateTiming {
    var timing =
      returnDelay > 0
      ? ReachabilityGateTiming.jittered(upTo: .seconds(returnDelay)) : ReachabilityGateTiming()
    timing.expensiveInterval = expensiveInterval.map { .seconds($0) }
    timing.constrainedInterval = constrainedInterval.map { .seconds($0) }
    return timing
  }

  private var sources: SourceOptions { sourceOptions.adding(devices) }

  func validate() throws {
    try sources.validate()
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
    let weatherOptions = providers.given + intervals.compactMap(\.self)
    if noWeather, !weatherOptions.isEmpty {
      throw ValidationError(
        "--no-weather cannot be combined with \(weatherOptions.joined(separator: ", ")).")
    }
  }

  /// Connects to a running daemon, otherwise opens the named sources and records their sentences.
  ///
  /// - Returns: The session and its authorization policy.
  private func openSources(
    _ daemon: DaemonClient?, recordingInto sentences: RawSentences
  ) async throws -> (SourceSession, any AuthorizationPolicy) {
    if let daemon {
      return try await DaemonAccess.session(daemon, purpose: Self.purpose)
    }
    // Opening the port would wait until the daemon stops. If there is no other source, the command
    // fails instead.
    if let conflict = sources.portConflict {
      guard sources.specifications.count > 1 else { throw CommandFailure.unavailable(conflict) }
      StandardError.print("fixcast: \(conflict)")
    }
    let consent = try await sources.consent(purpose: Self.purpose, timeout: Self.answerTimeout)
    let policy: any AuthorizationPolicy =
      consent?.continuingPolicy ?? AllowAll(initially: .authorizedAlways)
    return (try sources.session(recordingInto: sentences), policy)
  }

  /// The providers; `nil` if the options or the board's configuration turn the weather off.
  private func weatherConfiguration() async throws -> WeatherServiceConfiguration? {
    guard !noWeather else { return nil }
    let (weatherConfiguration, refusal) = try await providers.boardWeatherConfiguration(
      daemon: sources.daemon())
    guard let refusal else { return weatherConfiguration }
    StandardError.print("fixcast: \(refusal)")
    return nil
  }

  func run() async throws {
    let weatherConfiguration = try await weatherConfiguration()
    let output = Output(json: json)
    let sentences = RawSentences()
    let daemon = try sources.daemon()
    let (session, policy) = try await openSources(daemon, recordingInto: sentences)
    var watch = Watch(
      session: session, weather: weatherConfiguration, duration: seconds.map { .seconds($0) })
    watch.policy = policy
    (watch.purpose, watch.request) = (Self.purpose, LocationConsent.request)
    watch.timing = timing
    watch.isAtBoard = !sources.hasRecording
    let stop = StopSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    let clock = ContinuousClock()
    let start = clock.now
    let summary: RunSummary
    var failure: (any Error)?
    let isOutputOpen = Mutex(true)
    if !json, let terminal = Terminal(descriptor: STDOUT_FILENO) {
      let screen = WatchScreen(
        terminal: terminal, keys: TerminalKeys(descriptor: STDIN_FILENO, of: terminal),
        sentences: daemon == nil ? sentences : nil,
        received: {
          guard let daemon else { return session.counters.lines }
          return await DaemonAccess.received(by: daemon)
        },
        countsInterval: daemon == nil ? .seconds(1) : Self.statusInterval,
        usesColor: DescriptorOutput(descriptor: STDOUT_FILENO).wantsColor,
        source: watch.session.source.name, wantsWeather: weatherConfiguration != nil,
        format: units.format)
      // Returns after the first signal, after the user quits, or after a write to the terminal has
      // failed.
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
        if await !stop.waitWhileOutputIsOpen() { isOutputOpen.withLock { $0 = false } }
      }
      let sink = output.sink(
        isLive: true, format: units.format,
        utcNow: { [clock = weatherConfiguration?.clock] in
          clock?.utcNow ?? SystemClock.utcNow()
        })
      summary = await watch.run(into: json ? sink : WatchLines(sink))
    }
    // Completes the log of requests and uses before the program ends.
    await (policy as? PolicyFiles)?.flush()
    if let failure { throw failure }
    // If the reader has closed the pipe, the command exits without an error message.
    guard isOutputOpen.withLock({ $0 }) else { throw Output.failure(EPIPE) }
    if summary.pipeline.failedSinks > 0 { throw output.failure }
    try check(summary, session.diagnosis, policy, elapsed: start.duration(to: clock.now))
  }

  private func check(
    _ summary: RunSummary, _ diagnosis: SourceDiagnosis, _ policy: any AuthorizationPolicy,
    elapsed: Duration
  ) throws {
    let isTimedOut = seconds.map { elapsed >= .seconds($0) } ?? false
    if summary.sourceFailure != nil || !isTimedOut {
      let failure = sources.failure(
        ofEnded: summary.sourceFailure, summary.input, sources.names)
      if let failure { throw failure }
    }
    guard let seconds, isTimedOut, summary.pipeline.locations == 0 else { return }
    if let hint = (policy as? DaemonSession).flatMap({
      DaemonAccess.undecidedHint($0.authorization)
    }) {
      throw CommandFailure.notPermitted(hint)
    }
    let (daemonReason, received): (String?, ReceivedLines?) =
      policy is DaemonSession ? DaemonAccess.missingFixNow() : (nil, summary.input.lines)
    let advice =
      daemonReason ?? diagnosis.noFix?.description ?? diagnosis.summary ?? "see: fixcast doctor"
    if let received, received.bytes > 0 { StandardError.print("received \(received.text)") }
    throw diagnosis.hadReceiver
      ? CommandFailure.temporary("no fix in \(seconds) s; \(advice)")
      : CommandFailure.unavailable("no receiver in \(seconds) s; \(advice)")
  }
}
