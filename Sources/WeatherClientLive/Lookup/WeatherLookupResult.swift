// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// The result of a lookup.
public struct WeatherLookupResult: Equatable, Sendable {
  /// The report, or the reason why there is no report.
  public enum Outcome: Equatable, Sendable {
    /// The provider sent a report.
    case report(WeatherReport)
    /// The stored report is still current (status 304). `expiresAt` is the new expiry of the stored
    /// report, or `nil` if the reply contains no expiry.
    case notModified(expiresAt: UTCTime?)
    /// The lookup failed.
    case failure(WeatherError)
  }

  /// The report, or the reason why there is no report.
  public var outcome: Outcome
  /// The number of requests sent, including redirects.
  public var requestCount: Int
  /// The validator for the next conditional request, or `nil` if the reply has no validator.
  public var validator: WeatherValidator?
  /// The time of the last reply by the server's clock, or `nil` if no reply has a `Date` header.
  var serverTime: UTCTime?
  /// Whether a reply had status 203, which means that the API version is deprecated or in beta.
  public var isDeprecated: Bool

  init(outcome: Outcome, requestCount: Int = 0) {
    self.outcome = outcome
    self.requestCount = requestCount
    isDeprecated = false
  }

  /// Returns the report.
  ///
  /// - Throws: The error of a failed lookup, or `badStatus` 304 if the stored report is still
  ///   current.
  public func report() throws(WeatherError) -> WeatherReport {
    switch outcome {
    case .report(let report): return report
    case .notModified: throw .badStatus(code: 304, reason: "not modified")
    case .failure(let error): throw error
    }
  }
}
