// SPDX-License-Identifier: Apache-2.0

internal import NIOHTTP1
internal import Positioning
internal import WeatherClient

extension WeatherReply {
  /// Reads what HTTP says about an answer.
  init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.init(status: status, body: body)
    serverTime = ProviderTime.http(headers.first(name: "Date"))
    expiresAt = Self.expiry(headers, serverTime: serverTime)
    validator = WeatherValidator(
      lastModified: Self.short(headers.first(name: "Last-Modified")),
      entityTag: Self.short(headers.first(name: "ETag")))
    retryAfterSeconds = Self.wait(headers.first(name: "Retry-After"), serverTime: serverTime)
  }

  /// A validator is a date or a tag; what is longer than both is kept by nobody.
  private static func short(_ text: String?) -> String? {
    text.flatMap { $0.utf8.count <= 256 ? $0 : nil }
  }

  /// The latest of what `Expires` and `max-age` say, at most a day ahead of the server's clock.
  ///
  /// Both less the age of what a cache in between has kept: the server's clock is as old.
  private static func expiry(_ headers: HTTPHeaders, serverTime: UTCTime?) -> UTCTime? {
    let named = ProviderTime.http(headers.first(name: "Expires"))
    guard let serverTime else { return named }
    let directives = headers[canonicalForm: "Cache-Control"].map { $0.lowercased() }
    let prefix = "max-age="
    let told = headers.first(name: "Age").flatMap { Int64($0) } ?? 0
    let age = min(max(told, 0), longestSeconds)
    let seconds = directives.first { $0.hasPrefix(prefix) }
      .flatMap { Int64($0.dropFirst(prefix.count)) }
    let aged = seconds.map {
      after(min(max($0, 0), longestSeconds) - age)
    }
    let left = named.map { UTCTime(secondsSince1970: $0.secondsSince1970 &- age) }
    func after(_ seconds: Int64) -> UTCTime {
      UTCTime(secondsSince1970: serverTime.secondsSince1970 &+ seconds)
    }
    guard let latest = [left, aged].compactMap({ $0 }).max() else { return nil }
    return min(latest, after(longestSeconds))
  }

  /// Nothing that a provider says keeps for longer: a day.
  static let longestSeconds: Int64 = 86_400

  /// Seconds, or a date, which is held against the server's own clock: the board's may be wrong.
  private static func wait(_ text: String?, serverTime: UTCTime?) -> Double? {
    guard let text else { return nil }
    if let seconds = Double(text) { return seconds >= 0 && seconds.isFinite ? seconds : nil }
    guard let serverTime, let then = ProviderTime.http(text) else { return nil }
    return max(0, Double(then.nanoseconds(since: serverTime)) / 1e9)
  }
}
