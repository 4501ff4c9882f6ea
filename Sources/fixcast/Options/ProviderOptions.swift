// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import FixcastConfiguration
import Glibc
import WeatherClient
import WeatherClientLive

/// The weather provider options, shared by the commands that contact providers.
struct ProviderOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Weather provider: \(Self.names). Repeatable, in order of preference (default: those of the \
      configuration, else openmeteo).
      """, completion: .list(WeatherCatalog.providers.map { $0.name }))
  var provider: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Base URL of your own server that speaks the provider's protocol; with several providers, "
        + "prefixed with the name: openmeteo=http://127.0.0.1:8080.",
      valueName: "[provider=]url"))
  var weatherURL: [PerProvider] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "File with the provider's API key in its first line; with several providers, prefixed with "
        + "the name: pirateweather=/etc/key.",
      valueName: "[provider=]file"), completion: .file())
  var keyFile: [PerProvider] = []

  @Option(name: .long, help: "URL or e-mail address at which the provider can contact you.")
  var contact: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: """
      Decimals of the coordinates sent to providers, 0 (111 km) to 2 (1.1 km) (default: the \
      configured value, else 2).
      """)
  var gridDecimals: Int?

  @Option(
    name: .long, parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Limit of requests to a provider in 24 hours, 0 to 100000 (default: 500); for all, or for "
        + "one with its name: nws=100.",
      valueName: "[provider=]number"))
  var dailyLimit: [PerProvider] = []

  static var names: String { WeatherCatalog.providers.map { $0.name }.joined(separator: ", ") }

  func validate() throws {
    for name in provider where WeatherCatalog.provider(named: name) == nil {
      throw ValidationError("--provider \(name): not a provider; there are \(Self.names).")
    }
    try weatherURL.check("--weather-url", selected: selected)
    if let flaw = weatherURL.lazy.compactMap({ ProviderURL.flaw(of: $0.value) }).first {
      throw ValidationError("--weather-url \(flaw).")
    }
    try keyFile.check("--key-file", selected: selected)
    try dailyLimit.check("--daily-limit", selected: selected, appliesToAll: true)
    for limit in dailyLimit.map(\.value) where Self.parsedLimit(limit) == nil {
      throw ValidationError("--daily-limit takes 0 to 100000 requests, not \(limit).")
    }
    if let gridDecimals, !(0...WeatherCell.standardDecimals).contains(gridDecimals) {
      throw ValidationError(
        "--grid-decimals takes 0 to \(WeatherCell.standardDecimals), not \(gridDecimals).")
    }
    if let contact, !contact.contains(where: { $0.isASCII && $0.isLetter }) {
      throw ValidationError("--contact takes a URL or an e-mail address, not \(contact).")
    }
  }

  /// The names of the providers in the options, or of the default provider.
  private var selected: [String] { provider.isEmpty ? [OpenMeteo.name] : provider }

  private static func parsedLimit(_ text: String) -> Int? {
    Int(text).flatMap { (0...100_000).contains($0) ? $0 : nil }
  }

  /// Creates the providers from the options, and for missing options from the configuration.
  ///
  /// If this user may not read a provider's configured key, the provider is omitted and a message
  /// is printed.
  ///
  /// - Throws: `ExitCode` 66 if a key file cannot be read, 78 if a provider requires a setting that
  ///   is missing.
  private func sources(defaults board: BoardWeather? = nil) throws -> [WeatherService.Source] {
    let names = namesProvider ? selected : board?.settings.providers.map(\.name) ?? selected
    return try names.compactMap { name -> WeatherService.Source? in
      let configured = board?.settings.providers.first { $0.name == name }
      var provider = configured ?? .init(name: name)
      let key = try key(for: name)
      do throws(BoardWeather.KeyFault) {
        if let board, key == nil { provider.configuration.key = try board.key(for: provider) }
      } catch {
        StandardError.print(
          "fixcast: \(name) is skipped: \(error); to use your own key: "
            + "--provider \(name) --key-file FILE"
        )
        return nil
      }
      if let key { provider.configuration.key = key }
      if let url = weatherURL.value(for: name) { provider.configuration.baseURL = url }
      if let contact { provider.configuration.contact = contact }
      if let gridDecimals { provider.configuration.gridDecimals = gridDecimals }
      if let limit = dailyLimit.value(for: name).flatMap(Self.parsedLimit) {
        provider.dailyLimit = limit
      }
      do throws(WeatherError) { return try provider.source() } catch {
        throw CommandFailure.configuration("--provider \(name): \(error)\(Self.advice(error))")
      }
    }
  }

  /// Returns the weather service configuration from the options only.
  func weatherConfiguration() throws -> WeatherServiceConfiguration {
    Self.weatherConfiguration(try sources())
  }

  /// Returns the weather service configuration from the options and the board's configuration.
  ///
  /// - Parameter daemon: A client of the daemon; `nil` if no daemon is running.
  /// - Returns: The configuration, and the reason why no provider may be contacted; the reason is
  ///   `nil` if a provider may be contacted.
  /// - Throws: As `sources(defaults:)`; `ExitCode` 78 if the configuration is invalid.
  func boardWeatherConfiguration(
    daemon: DaemonClient?
  ) async throws -> (weatherConfiguration: WeatherServiceConfiguration, refusal: WeatherError?) {
    let names = selected.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let board = try BoardWeather(naming: namesProvider ? names : nil)
    // Naming a provider or server overrides "weather off" for this run.
    if provider.isEmpty, weatherURL.isEmpty, let place = await disabledReason(board, daemon) {
      let reason = "the weather is off: \(place); use --provider to override"
      return (Self.weatherConfiguration([]), .noUsableProvider(reason: reason))
    }
    let weatherConfiguration = Self.weatherConfiguration(try sources(defaults: board))
    return (
      weatherConfiguration,
      weatherConfiguration.sources.isEmpty ? .noUsableProvider(reason: "no key can be read") : nil
    )
  }

  /// Returns the reason why the weather is off; `nil` if the weather is on.
  ///
  /// Also queries the daemon, which may use a configuration file that this command does not read.
  private func disabledReason(_ board: BoardWeather, _ daemon: DaemonClient?) async -> String? {
    if let place = board.disabledBy { return "\(place) sets enabled = false" }
    guard let daemon, await DaemonAccess.isWeatherOff(daemon) else { return nil }
    return "the daemon's configuration sets enabled = false in [weather]"
  }

  /// Whether the options name a provider, or a server or key of a provider.
  private var namesProvider: Bool { !provider.isEmpty || !weatherURL.isEmpty || !keyFile.isEmpty }

  /// The names of the options that were given.
  var given: [String] {
    [
      ("--provider", !provider.isEmpty), ("--weather-url", !weatherURL.isEmpty),
      ("--key-file", !keyFile.isEmpty), ("--contact", contact != nil),
      ("--grid-decimals", gridDecimals != nil),
      ("--daily-limit", !dailyLimit.isEmpty),
    ].filter(\.1).map(\.0)
  }

  private static func advice(_ error: WeatherError) -> String {
    guard case .misconfigured(let reason) = error else { return "" }
    return reason.contains("contact")
      ? "; give one with --contact" : reason.contains("key") ? "; give one with --key-file" : ""
  }

  private func key(for provider: String) throws -> String? {
    guard let keyFile = keyFile.value(for: provider) else { return nil }
    var bytes: [UInt8] = []
    try InputFile(path: keyFile).readChunks { chunk in
      for index in chunk.indices where bytes.count < 4096 { bytes.append(chunk[index]) }
    }
    let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
    let key = line?.filter { !$0.isWhitespace } ?? ""
    guard !key.isEmpty else {
      throw CommandFailure.noInput("\(keyFile): its first line contains no key")
    }
    return key
  }

  /// Returns the weather service configuration with the board's store and sensors.
  static func weatherConfiguration(_ sources: [WeatherService.Source])
    -> WeatherServiceConfiguration
  {
    var environment: [String: String] = [:]
    for name in [
      "FIXCAST_ROOT", "FIXCAST_STATE_DIRECTORY", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME",
    ] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    return WeatherServiceConfiguration(
      sources: sources, environment: environment, isRoot: geteuid() == 0)
  }
}
