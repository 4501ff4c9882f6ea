// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The settings of `[weather]`.
package struct WeatherSettings: Equatable, Sendable {
  /// The settings of `[weather.NAME]`.
  package struct Provider: Equatable, Sendable {
    package var name: String
    /// The URL of the server; `nil` for the public service.
    package var baseURL: String?
    package var key: Secret?
    package var keyFile: String?
    /// The content of `keyFile`, read together with the configuration.
    package var keyInFile: Secret?
    /// The maximum number of requests per day; `nil` for the provider's own limit.
    package var dailyLimit: Int?

    package var hasKey: Bool { key != nil || keyFile != nil }

    /// A warning if the key is sent unencrypted; otherwise `nil`.
    package var cleartextWarning: String? {
      guard hasKey, let baseURL, CleartextURL.isCleartext(baseURL) else { return nil }
      return "the key and the position are sent unencrypted; use https:// or a local server"
    }
  }

  package var isEnabled: Bool
  /// The providers, in order of preference.
  package var providers: [Provider]
  package var contact: String?
  /// The number of decimal places of the coordinates that providers receive.
  package var gridDecimals: Int

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
  static func providersKey(_ names: [String]) -> SettingKey<[String]> {
    .list(
      "providers", of: names, default: Array(names.prefix(1)),
      summary: "providers in order of preference")
  }

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

  package static func settings(providers names: [String]) -> [SettingDeclaration] {
    [
      enabledKey.declaration, providersKey(names).declaration, contactKey.declaration,
      decimalsKey.declaration,
    ]
      + names.map {
        .table($0, of: providerSettings, summary: "settings of this provider")
      }
  }

  package init(_ settings: SettingsTable, providers names: [String]) throws(SettingsError) {
    isEnabled = try settings.value(of: Self.enabledKey)
    contact = try settings.value(of: Self.contactKey)
    gridDecimals = try settings.value(of: Self.decimalsKey)
    let wanted = try settings.value(of: Self.providersKey(names))
    guard !isEnabled || !wanted.isEmpty else {
      throw settings.error(
        .conflict("is empty; to turn weather off, set enabled = false"), in: "providers")
    }
    guard Set(wanted).count == wanted.count else {
      throw settings.error(.conflict("contains a provider twice"), in: "providers")
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
      throw settings.error(
        .conflict("cannot be combined with key_file; remove one of them"), in: "key")
    }
    if let baseURL, !baseURL.hasPrefix("http://"), !baseURL.hasPrefix("https://") {
      throw settings.error(.conflict("must begin with http:// or https://"), in: "base_url")
    }
    if let flaw = baseURL.flatMap({ BaseURLFlaw.description(of: $0) }) {
      throw settings.error(.conflict(flaw), in: "base_url")
    }
  }
}

package enum BaseURLFlaw {
  package static func description(of text: String, mayHaveQuery: Bool = false) -> String? {
    let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let authority = afterScheme.prefix { !"/?#".contains($0) }
    if authority.contains("@") { return "has user info before @; remove it" }
    let afterHost = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
    if let colon = afterHost.lastIndex(of: ":") {
      let port = afterHost[afterHost.index(after: colon)...]
      if port.isEmpty {
        return "has a colon without a port; remove it, or add a port from 1 to 65535"
      }
      guard let number = Int(port), 1...65_535 ~= number else {
        return "has the port \(port); ports are 1 to 65535"
      }
    }
    let beforeFragment = text.prefix { $0 != "#" }
    if !mayHaveQuery, beforeFragment.contains("?") {
      return "has a query after ?; remove it"
    }
    return beforeFragment.count < text.count ? "has a fragment after #; remove it" : nil
  }
}

/// Detects base URLs whose requests can be read by others on the network.
enum CleartextURL {
  static func isCleartext(_ url: String) -> Bool {
    let scheme = "http://"
    guard url.lowercased().hasPrefix(scheme) else { return false }
    let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let address = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let host =
      address.hasPrefix("[")
      ? address.prefix { $0 != "]" }.dropFirst() : address.prefix { $0 != ":" }
    return (try? Host(String(host)))?.isLoopback != true
      && !host.lowercased().hasSuffix(".localhost")
  }
}
