// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
import Glibc
import WeatherClient
import WeatherClientLive

/// Which weather providers are asked, as every command that asks takes it.
struct ProviderOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Whom to ask: \(Self.names). Several times for several, in the order in which they are \
      preferred; openmeteo where none is named.
      """)
  var provider: [String] = []

  @Option(
    name: .long, help: "Base URL of a server of your own that speaks the provider's protocol.")
  var weatherURL: String?

  @Option(name: .long, help: "File whose first line is the key that the provider wants.")
  var keyFile: String?

  @Option(name: .long, help: "URL or address that the provider can reach you at.")
  var contact: String?

  static var names: String { WeatherCatalog.providers.map { $0.name }.joined(separator: ", ") }

  func validate() throws {
    for name in provider where WeatherCatalog.provider(named: name) == nil {
      throw ValidationError("--provider \(name): not a provider; there are \(Self.names).")
    }
    if let weatherURL, !ProviderURL.isUsable(weatherURL) {
      throw ValidationError(
        "--weather-url takes a URL with http:// or https:// and a host, not \(weatherURL).")
    }
    if let contact, !contact.contains(where: { $0.isASCII && $0.isLetter }) {
      throw ValidationError("--contact takes a URL or an address in ASCII, not \(contact).")
    }
    if provider.count > 1, weatherURL != nil || keyFile != nil {
      throw ValidationError("--weather-url and --key-file are for one --provider, not for several.")
    }
  }

  /// Makes the providers.
  ///
  /// - Throws: `ExitCode` 66 where the key cannot be read, 78 where a provider wants more than it
  ///   was given.
  func sources() throws -> [WeatherService.Source] {
    let configuration = WeatherProviderConfiguration(
      baseURL: weatherURL, key: try key(), contact: contact)
    return try (provider.isEmpty ? [OpenMeteo.name] : provider).map { name in
      guard let kind = WeatherCatalog.provider(named: name) else {
        throw CommandFailure.usage("--provider \(name): not a provider")
      }
      do throws(WeatherError) {
        return WeatherService.Source(try kind.init(configuration))
      } catch {
        throw CommandFailure.configuration("--provider \(name): \(error)\(Self.advice(error))")
      }
    }
  }

  /// Makes the providers with their store.
  ///
  /// - Throws: As `sources()`.
  func supply() throws -> WeatherSupply {
    Self.supply(try sources())
  }

  /// The options that were given.
  var given: [String] {
    [
      ("--provider", !provider.isEmpty), ("--weather-url", weatherURL != nil),
      ("--key-file", keyFile != nil), ("--contact", contact != nil),
    ].filter(\.1).map(\.0)
  }

  private static func advice(_ error: WeatherError) -> String {
    guard case .misconfigured(let what) = error else { return "" }
    return what.contains("contact")
      ? "; give one with --contact" : what.contains("key") ? "; give one with --key-file" : ""
  }

  private func key() throws -> String? {
    guard let keyFile else { return nil }
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
  static func supply(_ sources: [WeatherService.Source]) -> WeatherSupply {
    var environment: [String: String] = [:]
    for name in [
      "FIXCAST_ROOT", "FIXCAST_STATE_DIRECTORY", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME",
    ] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    return WeatherSupply(sources: sources, environment: environment, isRoot: geteuid() == 0)
  }
}
