// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import FixcastConfiguration
import Glibc
import WeatherClient
import WeatherClientLive

/// Which weather providers are asked, as every command that asks takes it.
struct ProviderOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Whom to ask: \(Self.names). Several times for several, in the order in which they are \
      preferred; where none is named those of the configuration, which are openmeteo unless it \
      says otherwise.
      """)
  var provider: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Base URL of a server of your own that speaks the provider's protocol; with several "
        + "providers, of which: openmeteo=http://127.0.0.1:8080.",
      valueName: "[provider=]url"))
  var weatherURL: [PerProvider] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "File whose first line is the key that the provider wants; with several providers, which: "
        + "pirateweather=/etc/key.",
      valueName: "[provider=]file"))
  var keyFile: [PerProvider] = []

  @Option(name: .long, help: "URL or address that the provider can reach you at.")
  var contact: String?

  @Option(
    name: .long,
    help: """
      Decimals of a degree that providers are told where, 0 (111 km) to 2 (1.1 km, where the \
      configuration does not say otherwise).
      """)
  var gridDecimals: Int?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Requests that a provider may see in any 24 hours, 0 to 100000 (default: 500); of all, or "
        + "of one: nws=100.",
      valueName: "[provider=]number"))
  var dailyLimit: [PerProvider] = []

  static var names: String { WeatherCatalog.providers.map { $0.name }.joined(separator: ", ") }

  func validate() throws {
    for name in provider where WeatherCatalog.provider(named: name) == nil {
      throw ValidationError("--provider \(name): not a provider; there are \(Self.names).")
    }
    try weatherURL.check("--weather-url", asked: asked)
    if let flaw = weatherURL.lazy.compactMap({ ProviderURL.flaw(of: $0.value) }).first {
      throw ValidationError("--weather-url \(flaw).")
    }
    try keyFile.check("--key-file", asked: asked)
    try dailyLimit.check("--daily-limit", asked: asked, goesForAll: true)
    for limit in dailyLimit.map(\.value) where Self.limit(limit) == nil {
      throw ValidationError("--daily-limit takes 0 to 100000 requests, not \(limit).")
    }
    if let gridDecimals, !(0...WeatherCell.standardDecimals).contains(gridDecimals) {
      throw ValidationError(
        "--grid-decimals takes 0 to \(WeatherCell.standardDecimals), not \(gridDecimals): nobody "
          + "is told more than that.")
    }
    if let contact, !contact.contains(where: { $0.isASCII && $0.isLetter }) {
      throw ValidationError("--contact takes a URL or an address in ASCII, not \(contact).")
    }
  }

  /// The providers that are asked.
  private var asked: [String] { provider.isEmpty ? [OpenMeteo.name] : provider }

  private static func limit(_ text: String) -> Int? {
    Int(text).flatMap { (0...100_000).contains($0) ? $0 : nil }
  }

  /// Makes the providers.
  ///
  /// - Parameter board: What counts where no option says anything; `nil` for nothing.
  /// - Returns: The providers, without those whose key the board keeps from whoever runs this.
  /// - Throws: `ExitCode` 66 where the key cannot be read, 78 where a provider wants more than it
  ///   was given.
  private func sources(below board: BoardWeather? = nil) throws -> [WeatherService.Source] {
    let names = isNamed ? asked : board?.settings.providers.map(\.name) ?? asked
    return try names.compactMap { name -> WeatherService.Source? in
      guard let kind = WeatherCatalog.provider(named: name) else {
        throw CommandFailure.usage("--provider \(name): not a provider")
      }
      let written = board?.settings.providers.first { $0.name == name }
      var secret = try key(for: name)
      do throws(BoardWeather.KeyFault) {
        if secret == nil, let written { secret = try board?.key(for: written) }
      } catch {
        StandardError.print(
          "fixcast: \(name) is not asked: \(error); with a key of yours: --provider \(name) --key-file FILE"
        )
        return nil
      }
      let configuration = WeatherProviderConfiguration(
        baseURL: weatherURL.value(for: name) ?? written?.baseURL, key: secret,
        contact: contact ?? board?.settings.contact,
        gridDecimals: gridDecimals ?? board?.settings.gridDecimals ?? WeatherCell.standardDecimals)
      let limit = dailyLimit.value(for: name).flatMap(Self.limit) ?? written?.dailyLimit
      do throws(WeatherError) {
        return WeatherService.Source(try kind.init(configuration), dailyBudget: limit ?? 500)
      } catch {
        throw CommandFailure.configuration("--provider \(name): \(error)\(Self.advice(error))")
      }
    }
  }

  /// Makes the providers with their store, of what the options say alone.
  ///
  /// - Throws: As `sources(below:)`.
  func supply() throws -> WeatherServiceConfiguration {
    Self.supply(try sources())
  }

  /// Makes the providers with their store, of what the options say, and else the board's
  /// configuration.
  ///
  /// - Parameter daemon: Who serves the command; `nil` for nobody.
  /// - Returns: The supply, and why nobody of it may be asked; `nil` where somebody may.
  /// - Throws: As `sources(below:)`; `ExitCode` 78 where the configuration is wrong.
  func boardSupply(
    servedBy daemon: DaemonClient?
  ) async throws -> (supply: WeatherServiceConfiguration, refusal: WeatherError?) {
    let names = asked.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let board = try BoardWeather(naming: isNamed ? names : nil)
    // Whoever names whom to ask has decided for this once.
    if provider.isEmpty, weatherURL.isEmpty, let place = await off(board, daemon) {
      let reason = "the weather is off: \(place); --provider asks all the same"
      return (Self.supply([]), .notAsked(reason: reason))
    }
    let supply = Self.supply(try sources(below: board))
    return (supply, supply.sources.isEmpty ? .notAsked(reason: "no key can be read") : nil)
  }

  /// Who says that nobody is to be asked; `nil` for nobody.
  ///
  /// The daemon may have been started with a file of its own, which this command does not read.
  private func off(_ board: BoardWeather, _ daemon: DaemonClient?) async -> String? {
    if let place = board.offAt { return "\(place) says enabled = false" }
    guard let daemon, await DaemonAccess.isWeatherOff(daemon) else { return nil }
    return "the daemon's configuration says enabled = false below [weather]"
  }

  /// Whether the options say whom to ask.
  private var isNamed: Bool { !provider.isEmpty || !weatherURL.isEmpty || !keyFile.isEmpty }

  /// The options that were given.
  var given: [String] {
    [
      ("--provider", !provider.isEmpty), ("--weather-url", !weatherURL.isEmpty),
      ("--key-file", !keyFile.isEmpty), ("--contact", contact != nil),
      ("--grid-decimals", gridDecimals != nil),
      ("--daily-limit", !dailyLimit.isEmpty),
    ].filter(\.1).map(\.0)
  }

  private static func advice(_ error: WeatherError) -> String {
    guard case .misconfigured(let what) = error else { return "" }
    return what.contains("contact")
      ? "; give one with --contact" : what.contains("key") ? "; give one with --key-file" : ""
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
      throw CommandFailure.noInput("\(keyFile): there is no key in its first line")
    }
    return key
  }

  /// Providers with the store and the sensors of this board.
  static func supply(_ sources: [WeatherService.Source]) -> WeatherServiceConfiguration {
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
