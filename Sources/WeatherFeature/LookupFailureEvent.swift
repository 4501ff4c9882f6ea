// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import WeatherClient

/// Tells whoever reports how the weather stands why a lookup had no answer, and when there is
/// another.
public struct LookupFailureEvent: PipelineEvent, Equatable {
  /// Why there was none.
  public var error: WeatherError
  /// In how many seconds there is another, for a board that stays where it is.
  public var retryAfterSeconds: Double

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - error: Why there was none.
  ///   - retryAfterSeconds: In how many seconds there is another.
  public init(_ error: WeatherError, retryAfterSeconds: Double) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
  }
}
