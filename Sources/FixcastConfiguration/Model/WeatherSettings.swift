// SPDX-License-Identifier: Apache-2.0

public import Settings

/// `[weather]`: whether and whom it is asked for.
public struct WeatherSettings: Equatable, Sendable {
  /// `[weather.NAME]`: what is particular to one provider.
  public struct Provider: Equatable, Sendable {
    /// What it is asked for by.
    public var name: String
    /// A server of one's own that speaks its protocol; `nil` for the public service.
    public var baseURL: String?
    /// The key itself; `nil` where none is written here.
    public var key: Secret?
    /// The credential or file that the key lies in; `nil` where none is named.
    public var keyFile: String?
    /// What lay in that file when the configuration was read: another key is another setting.
    public var keyInFile: Secret?
    /// How many requests a day; `nil` for the provider's own limit.
    public var dailyLimit: Int?

    /// Whether it has a key, here or in a file.
    public var hasKey: Bool { key != nil || keyFile != nil }

    /// The warning that the key crosses the network unencrypted; `nil` where it does not.
    public var cleartextWarning: String? {
      guard hasKey, let baseURL, CleartextURL.isOne(baseURL) else { return nil }
      return "the key and the place are sent unencrypted; use https://, or a server on this machine"
    }
  }

  /// Whether anything is looked up.
  public var isEnabled: Bool
  /// Whom to ask, in the order in which they are preferred.
  public var providers: [Provider]
  /// A URL or address that providers can turn to.
  public var contact: String?
  /// How fine coordinates are told, in decimals of a degree.
  public var gridDecimals: Int

  static let enabledKey = SettingKey.flag(
    "enabled", default: true,
    summary:
      "whether weather is looked up; who is asked is told where the board is, to grid_decimals")
  static let contactKey = SettingKey.text(
    "contact", summary: "a URL or mail address that providers can reach you at"
  ).optional.example(.string("you@example.org"))
  static let decimalsKey = SettingKey.count(
    "grid_decimals", in: 0...2, default: 2,
    summary: "how finely providers are told where the board is, in decimals of a degree")
  static func providersKey(_ names: [String]) -> SettingKey<[String]> {
    .list(
      "providers", of: names, default: Array(names.prefix(1)),
      summary: "whom to ask, the preferred first")
  }

  static let baseURLKey = SettingKey.text(
    "base_url", summary: "a server of your own that speaks the provider's protocol"
  ).optional.example(.string("http://192.0.2.1:8080"))
  static let keyKey = SettingKey.secret(
    "key",
    summary:
      "the key itself, in a file that not everybody can read; key_file is the better place"
  ).optional
  static let keyFileKey = SettingKey.credential(
    "key_file", summary: "the credential or file whose first line is the key"
  ).optional.example(.string("provider.key"))
  static let limitKey = SettingKey.count(
    "daily_limit_requests", in: 1...1_000_000, summary: "how many requests a day at most"
  ).optional.example(.integer(500))

  /// The keys of `[weather.NAME]`.
  public static let providerSettings = [
    baseURLKey.declaration, keyFileKey.declaration, keyKey.declaration, limitKey.declaration,
  ]

  /// The keys of `[weather]`.
  ///
  /// - Parameter names: The providers there are, the one that is asked by default first.
  /// - Returns: The declarations, a table for each provider among them.
  public static func settings(providers names: [String]) -> [SettingDeclaration] {
    [
      enabledKey.declaration, providersKey(names).declaration, contactKey.declaration,
      decimalsKey.declaration,
    ]
      + names.map {
        .table($0, of: providerSettings, summary: "what is particular to this provider")
      }
  }

  /// Reads `[weather]`.
  ///
  /// - Parameters:
  ///   - settings: The table.
  ///   - names: The providers there are.
  /// - Throws: What does not fit.
  public init(_ settings: SettingsTable, providers names: [String]) throws(SettingsError) {
    isEnabled = try settings.value(of: Self.enabledKey)
    contact = try settings.value(of: Self.contactKey)
    gridDecimals = try settings.value(of: Self.decimalsKey)
    let wanted = try settings.value(of: Self.providersKey(names))
    guard !isEnabled || !wanted.isEmpty else {
      throw settings.error(
        .conflict("is empty; to ask nobody, write enabled = false"), in: "providers")
    }
    guard Set(wanted).count == wanted.count else {
      throw settings.error(.conflict("names a provider twice"), in: "providers")
    }
    var providers: [Provider] = []
    for name in wanted {
      providers.append(try Provider(name, try settings.table(name)))
    }
    self.providers = providers
  }
}

extension WeatherSettings.Provider {
  fileprivate init(_ name: String, _ settings: SettingsTable) throws(SettingsError) {
    self.name = name
    baseURL = try settings.value(of: WeatherSettings.baseURLKey)
    key = try settings.value(of: WeatherSettings.keyKey)
    keyFile = try settings.value(of: WeatherSettings.keyFileKey)
    dailyLimit = try settings.value(of: WeatherSettings.limitKey)
    if key != nil, keyFile != nil {
      throw settings.error(.conflict("stands beside key_file; leave one of them out"), in: "key")
    }
    if let baseURL, !baseURL.hasPrefix("http://"), !baseURL.hasPrefix("https://") {
      throw settings.error(.conflict("has to begin with http:// or https://"), in: "base_url")
    }
    if let flaw = baseURL.flatMap({ BaseURLFlaw.description(of: $0) }) {
      throw settings.error(.conflict(flaw), in: "base_url")
    }
  }
}
