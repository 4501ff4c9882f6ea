// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import Plugins
import Positioning
import WeatherClient
import WeatherClientLive
import WeatherFeature

/// `fixcast weather`: the weather here or there, once.
struct WeatherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weather",
    abstract: "Say what the weather is, here or there.",
    discussion: """
      Without a coordinate, asks the daemon where the board is, and it decides what you may know. \
      Without it, or with another --source, takes the first position of any of the sources named \
      with --source; what 'fixcast auth' or a policy file says against whoever runs it holds then.

      The provider is told where, to hundredths of a degree, and is asked no more than it allows: a \
      report that still stands within 5 km is told again. Where nobody can be asked, the stored \
      forecast and the board's own sensors answer, and say that they do. What no option says, \
      [weather] of /etc/fixcast does; where it is off there, nobody is asked unless --provider or \
      --weather-url says whom.

      Exits 65 where a recording holds nothing, 66 where it is not there, 69 where nobody could be \
      asked and nothing was known, or an answer was not for now, as by a clock that is wrong, 75 \
      where nobody may be asked yet or there was no position in time, 77 where you may not know \
      where the board is, 78 where nobody can be asked this way.
      """)

  @Argument(
    help: ArgumentHelp(
      "Latitude (-90 to 90) and longitude (-180 to 180) in degrees with a comma between, as "
        + "51.48,-0.01; else where the board is.",
      valueName: "lat,lon"))
  var place: CoordinateArgument?

  @OptionGroup var providers: ProviderOptions
  @OptionGroup var sources: SourceOptions

  @Option(name: .long, help: "How long to wait for a position, in seconds, 1 to 3600.")
  var timeout = 60

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout takes 1 to 3600 seconds, not \(timeout).")
    }
    if place != nil, sources.source != ["auto"] {
      throw ValidationError("a place and --source contradict each other: name one of them.")
    }
  }

  func run() async throws {
    let (supply, refusal) = try await providers.boardSupply(servedBy: sources.daemon())
    let service = supply.service { StandardError.print("fixcast: \($0)") }
    let question = try await question()
    let weatherQueries = supply.weatherQueries(service)
    let outlook = await
      (json ? WaitNotice.silent : .whenSlow("waiting for an answer about the weather"))
      .during { await weatherQueries.answer(question) { refusal ?? supply.obstacle() } }
    var line = JSONLine()
    line.appendWEATHER(outlook)
    let bytes = json ? line.bytes : Array(OutlookText.table(outlook).utf8)
    try Output.write(bytes)
    let isKnown = outlook.resolver.best != nil
    guard let failure = outlook.failure else {
      // Somebody has answered, and nothing of it is for here and now.
      guard let reason = outlook.reason else { return }
      guard isKnown else { throw CommandFailure.unavailable(reason) }
      StandardError.print("fixcast: no report of a provider is told: \(reason)")
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
      let told = try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: purpose,
        progress: json
          ? nil : .onStandardError("waiting for the daemon, \(timeout) s at most"))
      return try question(about: told)
    }
    let consent = try await LocationConsent(purpose: purpose, timeout: .seconds(timeout))
    let session = try sources.session()
    switch await FirstFix(session: session, timeout: .seconds(timeout)).wait() {
    case .fix(let fix): return try question(about: try await consent.allowed(fix))
    case .timedOut(let newest):
      let what = newest == nil ? "no receiver with a position" : "a receiver, and no position"
      throw CommandFailure.temporary(
        "\(session.source.name): \(what) in \(timeout) s; try fixcast locate, or name a place: "
          + "fixcast weather 51.48,-0.01")
    case .ended(let failure):
      throw sources.failure(ofEnded: failure, session.counters, session.source.name)
        ?? CommandFailure.unavailable("\(session.source.name): ended without a position")
    }
  }

  /// What is asked about a place that whoever runs it may know.
  private func question(about allowed: Fix) throws -> WeatherQueries.Question {
    guard let coordinate = allowed.coordinate else {
      throw CommandFailure.temporary("the position may not be told")
    }
    // The sensors are where the board is, not where a recording was made.
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

  /// What helps where nobody has answered, or somebody else seems to have.
  private static func advice(_ failure: WeatherError) -> String {
    switch failure.cause {
    case .network, .timedOut: "; see: fixcast doctor"
    case .malformed("body", _), .redirected: "; see: fixcast path --help, about --verify"
    default: ""
    }
  }
}
