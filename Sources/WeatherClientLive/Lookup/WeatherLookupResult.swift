// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// The result of a lookup.
public struct WeatherLookupResult: Equatable, Sendable {
  /// An answer, or none.
  public enum Outcome: Equatable, Sendable {
    /// The weather.
    case report(WeatherReport)
    /// The report that is there already still stands, until then where the provider says so.
    case notModified(expiresAt: UTCTime?)
    /// None.
    case failure(WeatherError)
  }

  /// An answer, or none.
  public var outcome: Outcome
  /// The number of requests sent, redirections included.
  public var requestCount: Int
  /// The validator for the next conditional request; `nil` where the provider gave none.
  public var validator: WeatherValidator?
  /// When it answered, by its own clock, where it tells.
  var serverTime: UTCTime?
  /// Whether the provider said of itself that it is about to end or has only begun (203).
  public var isDeprecated: Bool

  init(outcome: Outcome, requestCount: Int = 0) {
    self.outcome = outcome
    self.requestCount = requestCount
    isDeprecated = false
  }

  /// The report.
  ///
  /// - Returns: The weather.
  /// - Throws: Why there is none; `badStatus` 304 where nothing is newer.
  public func report() throws(WeatherError) -> WeatherReport {
    switch outcome {
    case .report(let report): return report
    case .notModified: throw .badStatus(code: 304, reason: "nothing newer")
    case .failure(let error): throw error
    }
  }
}
