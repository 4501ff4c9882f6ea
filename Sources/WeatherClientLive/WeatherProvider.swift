// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// A weather service on the internet: builds its requests and decodes its replies.
///
/// A provider does no network I/O, so it can be tested with recorded replies. ``WeatherLookup``
/// sends the requests and limits time and size. A provider receives only the grid cell, never the
/// exact coordinate.
public protocol WeatherProvider: Sendable {
  /// The name in the configuration and in reports: a single word.
  static var name: String { get }
  /// A one-line description for users.
  static var summary: String { get }
  /// The attribution that the provider's licence requires.
  static var attribution: WeatherAttribution { get }
  /// The base URL of the public service, or `nil` if none exists.
  static var publicBaseURL: String? { get }
  /// The maximum number of decimal places that the provider accepts or benefits from.
  static var maxGridDecimals: Int { get }

  /// Whether a refused configuration is never sent to the provider again. If `false`, a lookup with
  /// the same configuration is retried after a day.
  static var isRefusalPermanent: Bool { get }

  /// The maximum number of requests per lookup.
  var maxRequests: Int { get }

  /// The base URL, the key, the contact and the grid.
  var configuration: WeatherProviderConfiguration { get }

  /// Creates a provider.
  ///
  /// - Throws: `misconfigured` if a required key or contact is missing.
  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError)

  /// Returns the next request of a lookup.
  ///
  /// - Parameters:
  ///   - cell: The grid cell of the lookup.
  ///   - replies: The replies to the previous requests, in order.
  /// - Returns: The request, or `nil` if the replies are complete.
  /// - Throws: An error if the replies do not allow another request.
  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest?

  /// Decodes the replies of a lookup.
  ///
  /// - Parameters:
  ///   - replies: The replies to all requests, in order.
  ///   - cell: The grid cell of the lookup.
  /// - Returns: The report without attribution and licence, which ``WeatherLookup`` adds.
  /// - Throws: `malformed` if a reply does not follow the protocol.
  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport

  /// Returns the error for a reply whose status is not 200 or 203.
  func refusal(_ reply: WeatherReply) -> WeatherError
}

extension WeatherProvider {
  /// Two decimals, since the cells of weather models are 1 to 11 km wide.
  public static var maxGridDecimals: Int { WeatherCell.standardDecimals }

  /// One, since a single reply of most protocols contains everything.
  public var maxRequests: Int { 1 }

  /// `false`, since a new key may become active, or an expired subscription may be renewed.
  public static var isRefusalPermanent: Bool { false }

  /// Returns `rateLimited` for 429, and for 503 with `Retry-After`; otherwise `badStatus`.
  public func refusal(_ reply: WeatherReply) -> WeatherError { reply.standardRefusal }

  /// The URL to which request paths are appended, without a trailing slash.
  var baseURL: String {
    var text = (configuration.baseURL ?? Self.publicBaseURL ?? "")[...]
    while text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// A hash of the base URL that identifies a self-hosted server without revealing its address.
  ///
  /// The hash is empty for the public service.
  var site: String {
    var publicURL = (Self.publicBaseURL ?? "")[...]
    while publicURL.last == "/" { publicURL.removeLast() }
    return baseURL == publicURL ? "" : WeatherProviderConfiguration.fingerprint(of: [baseURL])
  }

  /// Returns the key of a configuration, or throws `misconfigured` if there is no key.
  static func key(of configuration: WeatherProviderConfiguration) throws(WeatherError) -> String {
    guard let key = configuration.key, !key.isEmpty else {
      throw .misconfigured("\(name) requires a key")
    }
    return key
  }

  /// Returns a report without values for the centre of a cell.
  func blankReport(for cell: WeatherCell) throws(WeatherError) -> WeatherReport {
    guard let coordinate = cell.coordinate else {
      throw .unsupported("coordinates outside the globe")
    }
    return WeatherReport(coordinate: coordinate, provider: Self.name, kind: .forecast)
  }
}
