// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// A weather service as its protocol has it: what to ask, and what the answers say.
///
/// It asks nobody itself: `WeatherLookup` does, within its bounds of time and size, so that all of
/// a provider can be tested on bytes. It never sees a coordinate, only the cell of the grid.
public protocol WeatherProvider: Sendable {
  /// The name that it is configured and reported by, in one word.
  static var name: String { get }
  /// A description in a sentence.
  static var summary: String { get }
  /// The attribution that the provider's licence requires.
  static var attribution: WeatherAttribution { get }
  /// Where the public service is; `nil` where there is none.
  static var publicBaseURL: String? { get }
  /// The finest grid it has any use for, in decimals of a degree.
  static var maxGridDecimals: Int { get }

  /// Whether it wants not to be asked again with a configuration that it has refused; else it is a
  /// day later.
  static var refusesForGood: Bool { get }

  /// The greatest number of requests of a lookup.
  var maxRequests: Int { get }

  /// The base URL, the key and the contact.
  var configuration: WeatherProviderConfiguration { get }

  /// Makes a provider.
  ///
  /// - Parameter configuration: Where it is, and who asks.
  /// - Throws: `misconfigured` where something is missing that it cannot be asked without.
  init(_ configuration: WeatherProviderConfiguration) throws(WeatherError)

  /// The next question.
  ///
  /// - Parameters:
  ///   - cell: Where.
  ///   - replies: What was answered to the questions before it, in their order.
  /// - Returns: The question; `nil` where enough was answered.
  /// - Throws: Where the answers leave nothing to ask.
  func request(
    for cell: WeatherCell, after replies: [WeatherReply]
  ) throws(WeatherError) -> WeatherRequest?

  /// The report that the replies make.
  ///
  /// - Parameters:
  ///   - replies: The answers to all questions, in their order.
  ///   - cell: Where.
  /// - Returns: The report, but for whom to name, which is the same for all of a provider's.
  /// - Throws: `malformed` where an answer is not what the protocol says.
  func decode(
    _ replies: [WeatherReply], for cell: WeatherCell
  ) throws(WeatherError) -> WeatherReport

  /// The error that an unsuccessful reply stands for.
  ///
  /// - Parameter reply: The answer; its status is not one of success.
  /// - Returns: The error.
  func refusal(_ reply: WeatherReply) -> WeatherError
}

extension WeatherProvider {
  /// Two decimals: the grids of weather models are of 1 to 11 km.
  public static var maxGridDecimals: Int { WeatherCell.standardDecimals }

  /// One: most protocols have all in one answer.
  public var maxRequests: Int { 1 }

  /// A key may be new, or be paid for again.
  public static var refusesForGood: Bool { false }

  /// The error that an HTTP status stands for, with the reply's own reason.
  ///
  /// - Parameter reply: The answer.
  /// - Returns: `rateLimited` for 429, and for 503 that says how long; `badStatus` otherwise.
  public func refusal(_ reply: WeatherReply) -> WeatherError { reply.standardRefusal }

  /// The URL that paths are appended to, without a slash behind.
  var baseURL: String {
    var text = (configuration.baseURL ?? Self.publicBaseURL ?? "")[...]
    while text.last == "/" { text.removeLast() }
    return String(text)
  }

  /// Which of the servers that speak the protocol it is, without telling where; empty for the
  /// public one.
  var site: String {
    var common = (Self.publicBaseURL ?? "")[...]
    while common.last == "/" { common.removeLast() }
    return baseURL == common ? "" : WeatherProviderConfiguration.fingerprint(of: [baseURL])
  }

  /// The key of a provider that cannot be asked without.
  static func key(of configuration: WeatherProviderConfiguration) throws(WeatherError) -> String {
    guard let key = configuration.key, !key.isEmpty else {
      throw .misconfigured("\(name) wants a key")
    }
    return key
  }

  /// A report that nothing is known of yet.
  func blankReport(for cell: WeatherCell) throws(WeatherError) -> WeatherReport {
    guard let coordinate = cell.coordinate else { throw .unsupported("a cell off the globe") }
    return WeatherReport(coordinate: coordinate, provider: Self.name, kind: .forecast)
  }
}
