// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonProtocol
import Plugins
import Positioning
import SystemSupport
import WeatherClient
import WeatherClientLive
import WeatherFeature

/// `fixcast weather`: one weather lookup, for the board's location or a coordinate.
struct WeatherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weather",
    abstract: "Print the weather, here or at a place.",
    discussion: """
      A place is a coordinate, as in 54.32,10.13 or "54°19'N 10°8'E", or the name of a town with at \
      least a few thousand inhabitants, as in Kiel or "Paris, Texas": the country or the US state \
      is optional. Towns above 50,000 people have their names in other languages too, as in \
      München, Cologne and NYC. Of several towns with one name the most populous is used (names in \
      other languages count less), and the others are named. Names are looked up in the program \
      and sent nowhere.

      Without a place, gets the board's location from the daemon. Without a daemon, uses the \
      first position from the configured sources, else from gpsd or any known receiver. Users \
      other than root need permission: sudo fixcast auth allow USER. The command prints this line, \
      waits, and continues when the permission is given. A place, a recording, the simulation and \
      gpsd on another host need no permission.

      Providers receive the location to hundredths of a degree, and get no more requests than they \
      allow. A report that is still valid within 5 km is reused. At most five places a minute are \
      looked up at each provider, and with at most half of its requests a day. If no provider can be reached, the stored forecast and the board's own sensors \
      are used, marked as such. Options override [weather] in /etc/fixcast; if the weather is off \
      there, no provider is contacted unless --provider or --weather-url is given.

      Exits 65 if a recording contains no sentences, 66 if it does not exist, 69 if no provider \
      could be reached and nothing was stored, or if the report is not for the present (for \
      example because the clock is wrong), 75 if no request is allowed yet or there was no \
      position in time, 77 if you are not authorized to know where the board is, 78 if the \
      provider settings do not permit the lookup.

      Examples:
        fixcast weather
        fixcast weather 54.32,10.14
        fixcast weather --provider metnorway --contact you@example.org
      """)

  @Argument(
    help: ArgumentHelp(
      "Latitude and longitude, such as 51.48,-0.01, or the name of a town (default: the board's "
        + "location).",
      valueName: "place"))
  var place: [String] = []

  @OptionGroup var providers: ProviderOptions
  @OptionGroup var sources: SourceOptions

  @Option(
    name: .long, parsing: .unconditional, help: "Time limit for a position in seconds, 1 to 3600.")
  var timeout = 60

  @Flag(name: .long, help: "Accept the last known position, if there is no current one.")
  var last = false

  @Flag(name: .long, help: "Print the forecast of each hour too.")
  var hourly = false

  @Option(
    name: .long, parsing: .unconditional,
    help: "Days of the forecast, 1 to 16 (default: all that the provider sends, and 24 hours).")
  var days: Int?

  @OptionGroup var units: UnitsOption

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout takes 1 to 3600 seconds, not \(timeout).")
    }
    if let days, !(1...16).contains(days) {
      throw ValidationError("--days takes 1 to 16, not \(days).")
    }
    do throws(PlaceArgument.Fault) {
      guard try placeArgument() != nil else { return }
    } catch {
      throw ValidationError("\(error)")
    }
    if last { throw ValidationError("a place cannot be combined with --last.") }
    guard sources.source != ["auto"] else { return }
    throw ValidationError("a place cannot be combined with --source.")
  }

  func run() async throws {
    let (weatherConfiguration, refusal) = try await providers.boardWeatherConfiguration(
      daemon: sources.daemon())
    let service = weatherConfiguration.service { StandardError.print("fixcast: \($0)") }
    let question = try await question()
    let weatherQueries = weatherConfiguration.weatherQueries(service)
    var outlook = await (json ? WaitNotice.silent : .whenSlow("waiting for the weather provider"))
      .during {
        await weatherQueries.answer(question) { refusal ?? weatherConfiguration.obstacle() }
      }
    if let error = weatherConfiguration.clock.systemError {
      StandardError.print("fixcast: \(error)")
    }
    if let days { outlook.days = Array(outlook.days.prefix(days)) }
    let hours = hourly ? hours(of: outlook) : []
    var line = JSONLine()
    line.appendWEATHER(outlook, hours: hours)
    let bytes =
      json ? line.bytes : Array(OutlookText(units.format).table(outlook, hours: hours).utf8)
    try Output.write(bytes)
    let hasWeather = outlook.resolved.best != nil
    guard let failure = outlook.failure else {
      // If there is a reason, a provider has responded with a report for another time or place.
      guard let reason = outlook.reason else { return }
      guard hasWeather else { throw CommandFailure.unavailable(reason) }
      StandardError.print("fixcast: no provider's report is usable: \(reason)")
      return
    }
    guard !hasWeather else {
      StandardError.print("fixcast: no newer report: \(failure)\(Self.advice(failure))")
      return
    }
    throw Self.reportedExitCode(failure)
  }

  /// Returns the hourly forecast for ``days``, or for one day.
  private func hours(of outlook: WeatherOutlook) -> [HourWeather] {
    // Without a current or stored report, the hours of an old report would look current.
    guard let report = outlook.report, let time = outlook.time,
      outlook.resolved.weather.contains(where: { $0.quality != .sensor })
    else {
      return []
    }
    return report.hours(from: time, for: 24 * (days ?? 1))
  }

  /// The place, of which the shell may have made several arguments; `nil` for the board's location.
  private func placeArgument() throws(PlaceArgument.Fault) -> PlaceArgument? {
    place.isEmpty ? nil : try PlaceArgument(place.joined(separator: " "))
  }

  /// Returns the coordinate of the place; `nil` for the board's location.
  ///
  /// - Throws: `ExitCode` 64 if the gazetteer has no such place, or several.
  private func namedCoordinate() throws -> Coordinate? {
    switch try placeArgument() {
    case nil: return nil
    case .coordinate(let coordinate)?: return coordinate
    case .name(let name)?:
      let choice = PlaceChoice(name, in: .geoNames)
      guard let place = choice.place else { throw CommandFailure.usage(choice.message ?? name) }
      if let message = choice.message { StandardError.print("fixcast: \(message)") }
      return place.coordinate
    }
  }

  private func question() async throws -> WeatherQueries.Question {
    if let coordinate = try namedCoordinate() {
      var question = WeatherQueries.Question(at: coordinate, isAtBoard: false)
      question.isTyped = true
      return question
    }
    let purpose = "fixcast weather"
    if let daemon = try sources.daemon() {
      let known = try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: purpose, acceptsLast: last,
        progress: json
          ? nil : .onStandardError("waiting for the daemon, \(timeout) s at most"))
      if !known.isCurrent { StandardError.print("fixcast: \(Self.notice(ofLast: known.fix))") }
      return try question(about: known.fix)
    }
    guard !last else { throw CommandFailure.lastWithoutDaemon }
    let consent = try await sources.consent(purpose: purpose, timeout: .seconds(timeout))
    let session = try sources.session()
    switch await FirstFix(session: session, timeout: .seconds(timeout)).wait() {
    case .fix(let fix): return try question(about: try await consent?.authorizedFix(fix) ?? fix)
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

  private static func notice(ofLast fix: Fix) -> String {
    let seconds = fix.receivedAt.map { MonotonicTime.now().seconds(since: $0) }
    let age = seconds.map { ", \(StatusText.duration(max($0, 0))) old" } ?? ""
    return "not current: the last known position\(age)"
  }

  /// Returns the query for a fix that this user may see.
  private func question(about allowed: Fix) throws -> WeatherQueries.Question {
    guard let coordinate = allowed.coordinate else {
      throw CommandFailure.temporary("the position is withheld")
    }
    // A recording may be from another place, where the board's sensors do not apply.
    let isAtBoard = !allowed.isSimulated && !allowed.isReplayed
    var question = WeatherQueries.Question(at: coordinate, isAtBoard: isAtBoard)
    question.altitudeMetersAboveSeaLevel = allowed.altitudeMetersAboveSeaLevel
    question.altitudeAccuracy = allowed.verticalAccuracy
    question.horizontalAccuracy = allowed.horizontalAccuracy
    question.seenAt = allowed.receivedAt
    question.receiverClock = ReceiverClock(allowed)
    return question
  }

  /// Reports a failed lookup and returns the exit code.
  private static func reportedExitCode(_ failure: WeatherError) -> ExitCode {
    switch failure.cause {
    case .rateLimited, .notDue: CommandFailure.temporary("\(failure)")
    case .misconfigured, .noUsableProvider, .refused, .unsupported:
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
