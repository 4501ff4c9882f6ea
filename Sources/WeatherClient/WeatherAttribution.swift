// SPDX-License-Identifier: Apache-2.0

/// Whom a provider's licence wants named, and under what terms its data is given.
public struct WeatherAttribution: Equatable, Hashable, Codable, Sendable {
  /// Who is to be named, in words for people.
  public var text: String
  /// The licence or the terms, in words for people.
  public var licence: String
  /// Where they are to be read.
  public var url: String

  /// Makes an attribution.
  ///
  /// - Parameters:
  ///   - text: Who is to be named.
  ///   - licence: The licence or the terms.
  ///   - url: Where they are to be read.
  public init(text: String, licence: String, url: String) {
    self.text = text
    self.licence = licence
    self.url = url
  }
}
