// SPDX-License-Identifier: Apache-2.0

package import WeatherClient
package import WeatherClientLive

/// The settings of `[weather]`.
package struct WeatherSettings: Equatable, Sendable {
  /// A provider, with the settings of `[weather.NAME]` and those that all providers share.
  package struct Provider: Equatable, Sendable {
    package let name: String
    /// The base URL, the key, the contact and the grid.
    ///
    /// Contains the key of ``keyFile`` only after ``ConfigurationLoader/load()``, and no key if that
    /// file cannot be read.
    package var configuration = WeatherProviderConfiguration()
    package var keyFile: String?
    /// Whether ``keyFile`` could not be read.
    package var isKeyMissing = false
    /// The maximum number of requests per day; `nil` for 500.
    package var dailyLimit: Int?

    package init(name: String) { self.name = name }

    package var hasKey: Bool { configuration.key != nil || keyFile != nil }

    /// Creates the provider for the weather service.
    ///
    /// - Throws: `misconfigured` if a required key or contact is missing, or if the key cannot be read.
    package func source() throws(WeatherError) -> WeatherService.Source {
      if isKeyMissing, let keyFile { throw .misconfigured("no key can be read from \(keyFile)") }
      guard let kind = WeatherCatalog.provider(named: name) else {
        throw .misconfigured("there is no provider \(name)")
      }
      return WeatherService.Source(
        try kind.init(configuration), dailyBudget: dailyLimit ?? 500)
    }

    /// The setting that is missing, and the line to add; `nil` if the provider can be used.
    var fault: String? {
      var provider = self
      // The check depends only on whether a key is configured, not on the key itself.
      if hasKey { provider.configuration.key = "key" }
      do throws(WeatherError) {
        _ = try provider.source()
        return nil
      } catch {
        guard case .misconfigured(let problem) = error else { return error.description }
        if problem.contains("contact") { return problem + "; set contact = \"you@example.org\"" }
        return problem.contains("key")
          ? problem + "; set key_file below [weather.\(name)]" : problem
      }
    }

    /// A warning if the key is sent unencrypted; otherwise `nil`.
    package var cleartextWarning: String? {
      guard hasKey, let url = configuration.baseURL, ProviderURL.isCleartext(url) else {
        return nil
      }
      return "the key and the position are sent unencrypted; use https:// or a local server"
    }
  }

  package let isEnabled: Bool
  /// The providers, in order of preference.
  package var providers: [Provider]

  /// The names of all providers that exist; the first is the default.
  static let providerNames: [String] = WeatherCatalog.providers.map { $0.name }

  static let enabledKey = SettingKey.flag(
    "enabled", default: true,
    summary:
      "whether to look up weather; providers receive the position, rounded to grid_decimals")
  static let contactKey = SettingKey.text(
    "contact", summary: "URL or mail address at which providers can reach you"
  ).optional.example(.string("you@example.org"))
  static let decimalsKey = SettingKey.count(
    "grid_decimals", in: 0...2, default: 2,
    summary: "decimal places of the coordinates, in degrees, that providers receive")
  static let providersKey = SettingKey<[String]>.list(
    "providers", of: providerNames, default: Array(providerNames.prefix(1)),
    summary: "providers in order of preference")

  static let baseURLKey = SettingKey.text(
    "base_url", summary: "URL of your own server that uses the provider's protocol"
  ).optional.example(.string("http://192.0.2.1:8080"))
  static let keyKey = SettingKey.secret(
    "key",
    summary:
      "the key itself; only for files that are not readable by all users; prefer key_file"
  ).optional
  static let keyFileKey = SettingKey.credential(
    "key_file", summary: "credential or file whose first line is the key"
  ).optional.example(.string("provider.key"))
  static let limitKey = SettingKey.count(
    "daily_limit_requests", in: 1...1_000_000, summary: "maximum number of requests per day"
  ).optional.example(.integer(500))

  package static let providerSettings = [
    baseURLKey.declaration, keyFileKey.declaration, keyKey.declaration, limitKey.declaration,
  ]

  package static let settings =
    [
      enabledKey.declaration, providersKey.declaration, contactKey.declaration,
      decimalsKey.declaration,
    ]
    + providerNames.map {
      .table($0, of: providerSettings, summary: "settings of this provider")
    }

  package init(_ settings: SettingsTable) throws(SettingsError) {
    isEnabled = try settings.value(of: Self.enabledKey)
    let shared = WeatherProviderConfiguration(
      contact: try settings.value(of: Self.contactKey),
      gridDecimals: try settings.value(of: Self.decimalsKey))
    let wanted = try settings.value(of: Self.providersKey)
    guard !isEnabled || !wanted.isEmpty else {
      throw settings.error(
        .conflict("is empty; to turn weather off, set enabled = false"), in: "providers")
    }
    guard Set(wanted).count == wanted.count else {
      throw settings.error(.conflict("contains a provider twice"), in: "providers")
    }
    var providers: [Provider] = []
    for name in wanted {
      providers.append(try Provider(name, shared, try settings.table(name)))
    }
    self.providers = providers
  }
}

extension WeatherSettings.Provider {
  fileprivate init(
    _ name: String, _ shared: WeatherProviderConfiguration, _ settings: SettingsTable
  ) throws(SettingsError) {
    self.name = name
    configuration = shared
    configuration.baseURL = try settings.value(of: WeatherSettings.baseURLKey)
    configuration.key = try settings.value(of: WeatherSettings.keyKey)?.exposed
    keyFile = try settings.value(of: WeatherSettings.keyFileKey)
    dailyLimit = try settings.value(of: WeatherSettings.limitKey)
    if configuration.key != nil, keyFile != nil {
      throw settings.error(
        .conflict("cannot be combined with key_file; remove one of them"), in: "key")
    }
    if let url = configuration.baseURL {
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw settings.error(.conflict("must begin with http:// or https://"), in: "base_url")
      }
      if let flaw = ProviderURL.syntaxFlaw(of: url) {
        throw settings.error(.conflict(flaw), in: "base_url")
      }
    }
  }
}
