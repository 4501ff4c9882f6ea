// SPDX-License-Identifier: Apache-2.0

/// The attribution and the licence of a provider's data.
public struct WeatherAttribution: Equatable, Hashable, Codable, Sendable {
  /// The attribution that the licence requires, for display.
  public var text: String
  /// The name of the licence or terms, for display.
  public var licence: String
  /// The URL of the licence or terms.
  public var url: String

  /// Creates an attribution.
  public init(text: String, licence: String, url: String) {
    self.text = text
    self.licence = licence
    self.url = url
  }
}
