// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import WeatherClient

/// Tells whoever reports how the weather stands why a lookup had no answer, and when another is due.
///
/// It is made with the first location that comes then: the one that was looked up in vain is gone.
public struct LookupFailureEvent: PipelineEvent, Equatable {
  /// Why there was none.
  public var error: WeatherError
  /// In how many seconds another is due, with the next location after, for a board that stays where
  /// it is.
  public var retryAfterSeconds: Double

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - error: Why there was none.
  ///   - retryAfterSeconds: In how many seconds another is due.
  public init(_ error: WeatherError, retryAfterSeconds: Double) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
  }
}
