// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import WeatherClient

/// One answer of a provider: what was said, and what HTTP says about it.
public struct WeatherReply: Equatable, Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The answer, unpacked.
  public var body: [UInt8]
  /// When it was answered, by the provider's clock.
  public var serverTime: UTCTime?
  /// Until when there is nothing newer, where the provider says so.
  public var expiresAt: UTCTime?
  /// The validator for the next conditional request; `nil` where the provider gave none.
  public var validator: WeatherValidator?
  /// How long the provider wants to be left alone, where it says so; not below 0.
  public var retryAfterSeconds: Double?

  /// Makes an answer.
  public init(status: Int = 200, body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// Whether it is success: 200, or 203 from a service that is about to end.
  var isSuccess: Bool { status == 200 || status == 203 }

  /// The error that an HTTP status stands for, with the reply's own reason.
  var standardRefusal: WeatherError {
    switch status {
    case 429: .rateLimited(retryAfterSeconds: retryAfterSeconds, reason: reason)
    case 503 where retryAfterSeconds != nil:
      .rateLimited(retryAfterSeconds: retryAfterSeconds, reason: reason)
    default: .badStatus(code: status, reason: reason)
    }
  }
}

/// What a provider gave with an answer, to be asked with whether there is anything newer.
///
/// Both in the provider's own words.
public struct WeatherValidator: Equatable, Hashable, Codable, Sendable {
  /// `Last-Modified`.
  public var lastModified: String?
  /// `ETag`.
  public var entityTag: String?

  /// Makes a validator.
  ///
  /// Gives `nil` where there is nothing to ask with.
  ///
  /// - Parameters:
  ///   - lastModified: `Last-Modified`.
  ///   - entityTag: `ETag`.
  public init?(lastModified: String?, entityTag: String? = nil) {
    guard lastModified != nil || entityTag != nil else { return nil }
    self.lastModified = lastModified
    self.entityTag = entityTag
  }
}
