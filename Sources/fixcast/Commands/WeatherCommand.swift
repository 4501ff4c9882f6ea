// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Plugins
import Positioning
import WeatherClient
import WeatherClientLive
import WeatherFeature

/// `fixcast weather`: one weather lookup, for the board's location or a coordinate.
struct WeatherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weather",
    abstract: "Print the weather, here or at a coordinate.",
    discussion: """
      Without a coordinate, gets the board's location from the daemon, which decides what you may \
      know. Without a daemon, or if --source names a source, uses the first position from that \
      source; a denial by 'fixcast auth' or a policy file applies.

      Providers receive the location to hundredths of a degree, and get no more requests than they \
      allow: a report that is still valid within 5 km is reused. If no provider can be \
      reached, the stored forecast and the board's own sensors are used, marked as such. Options \
      override [weather] in /etc/fixcast; if the weather is off there, no provider is contacted \
      unless --provider or --weather-url is given.

      Exits 65 if a recording contains no sentences, 66 if it does not exist, 69 if no provider \
      could be reached and nothing was stored, or if the report is not for the present (for \
      example because the clock is wrong), 75 if no request is allowed yet or there was no \
      position in time, 77 if you are not authorized to know where the board is, 78 if the \
      provider settings do not permit the lookup.
      """)

  @Argument(
    help: ArgumentHelp(
      "Latitude (-90 to 90) and longitude (-180 to 180) in degrees, separated by a comma, such as "
        + "51.48,-0.01 (default: the board's location).",
      valueName: "lat,lon"))
  var place: CoordinateArgument?

  @OptionGroup var providers: ProviderOptions
  @OptionGroup var sources: SourceOptions

  @Option(name: .long, help: "Time limit for a position in seconds, 1 to 3600.")
  var timeout = 60

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout takes 1 to 3600 seconds, not \(timeout).")
    }
    if place != nil, sources.source != ["auto"] {
      throw ValidationError("a coordinate cannot be combined with --source.")
    }
  }

  func run() async throws {
    let (weatherConfiguration, refusal) = try await providers.boardWeatherConfiguration(
      daemon: sources.daemon())
    let service = weatherConfiguration.service { StandardError.print("fixcast: \($0)") }
    let question = try await question()
    let weatherQueries = weatherConfiguration.weatherQueries(service)
    let outlook = await (json ? WaitNotice.silent : .whenSlow("waiting for the weather provider"))
      .during {
        await weatherQueries.answer(question) { refusal ?? weatherConfiguration.obstacle() }
      }
    var line = JSONLine()
    line.appendWEATHER(outlook)
    let bytes = json ? line.bytes : Array(OutlookText.table(outlook).utf8)
    try Output.write(bytes)
    let isKnown = outlook.resolved.best != nil
    guard let failure = outlook.failure else {
      // With a reason, a provider has responded, but its report is for another time or place.
      guard let reason = outlook.reason else { return }
      guard isKnown else { throw CommandFailure.unavailable(reason) }
      StandardError.print("fixcast: no provider's report is usable: \(reason)")
      return
    }
    guard !isKnown else {
      StandardError.print("fixcast: no newer report: \(failure)\(Self.advice(failure))")
      return
    }
    throw Self.ending(failure)
  }

  private func question() async throws -> WeatherQueries.Question {
    if let place { return WeatherQueries.Question(at: place.coordinate, isHere: false) }
    let purpose = "fixcast weather"
    if let daemon = try sources.daemon() {
      let fix = try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: purpose,
        progress: json
          ? nil : .onStandardError("waiting for the daemon, \(timeout) s at most"))
      return try question(about: fix)
    }
    let consent = try await LocationConsent(purpose: purpose, timeout: .seconds(timeout))
    let session = try sources.session()
    switch await FirstFix(session: session, timeout: .seconds(timeout)).wait() {
    case .fix(let fix): return try question(about: try await consent.allowed(fix))
    case .timedOut(let newest):
      let found = newest == nil ? "no receiver with a position" : "a receiver without a position"
      throw CommandFailure.temporary(
        "\(session.source.name): \(found) in \(timeout) s; try: fixcast locate, or give a "
          + "coordinate: fixcast weather 51.48,-0.01")
    case .ended(let failure):
      throw sources.failure(ofEnded: failure, session.counters, session.source.name)
        ?? CommandFailure.unavailable("\(session.source.name): ended without a position")
    }
  }

  /// Returns the query for a fix that this user may see.
  private func question(about allowed: Fix) throws -> WeatherQueries.Question {
    guard let coordinate = allowed.coordinate else {
      throw CommandFailure.temporary("the position is withheld")
    }
    // A recording may be from another place, where the board's sensors do not apply.
    let isHere = !allowed.isSimulated && !sources.source.contains { $0.hasPrefix("replay:") }
    var question = WeatherQueries.Question(at: coordinate, isHere: isHere)
    question.altitudeMetersAboveSeaLevel = allowed.altitudeMetersAboveSeaLevel
    question.altitudeAccuracy = allowed.verticalAccuracy
    question.horizontalAccuracy = allowed.horizontalAccuracy
    question.seenAt = allowed.receivedAt
    return question
  }

  private static func ending(_ failure: WeatherError) -> ExitCode {
    switch failure.cause {
    case .rateLimited, .notDue: CommandFailure.temporary("\(failure)")
    case .misconfigured, .notAsked, .refused, .unsupported:
      CommandFailure.configuration("\(failure)")
    default: CommandFailure.unavailable("\(failure)\(advice(failure))")
    }
  }

  /// The command that helps if no provider has answered, or if a portal answered instead.
  private static func advice(_ failure: WeatherError) -> String {
    switch failure.cause {
    case .network, .timedOut: "; see: fixcast doctor"
    case .malformed("body", _), .redirected: "; see: fixcast path --help, about --verify"
    default: ""
    }
  }
}
