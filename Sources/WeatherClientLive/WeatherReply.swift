// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import NIOHTTP1
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

extension WeatherReply {
  /// Reads the body as JSON of a form.
  ///
  /// - Throws: `malformed`, with the field that is wrong.
  func json<Form: Decodable>(_ form: Form.Type) throws(WeatherError) -> Form {
    guard !body.isEmpty else { throw .malformed(field: "body", reason: "empty") }
    do {
      return try JSONDecoder().decode(form, from: Data(body))
    } catch let error as DecodingError {
      throw error.asWeatherError
    } catch {
      throw .malformed(field: "body", reason: "not JSON")
    }
  }

  /// Why a provider did not answer, in its own words; `nil` where it has none that can be shown.
  ///
  /// Providers have a field of their own each; problem+json (RFC 9457) has two.
  var reason: String? {
    struct Words: Decodable {
      var reason: String?
      var detail: String?
      var message: String?
      var title: String?
      var error: String?

      enum Key: String, CodingKey { case reason, detail, message, title, error }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        // Some say "error": true; what is no text says nothing.
        reason = try? values.decode(String.self, forKey: .reason)
        detail = try? values.decode(String.self, forKey: .detail)
        message = try? values.decode(String.self, forKey: .message)
        title = try? values.decode(String.self, forKey: .title)
        error = try? values.decode(String.self, forKey: .error)
      }
    }
    guard let words = try? JSONDecoder().decode(Words.self, from: Data(body)) else { return nil }
    let text = words.reason ?? words.detail ?? words.message ?? words.title ?? words.error
    return text.map(Self.shown).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A provider's words that can be put into a line: at most 200 characters, none that controls,
  /// and "…" in place of every number with a decimal point or comma.
  ///
  /// Providers repeat the place that was asked for. These words reach the log, the status and
  /// clients of reduced accuracy, which are told no coordinates.
  static func shown(_ text: String) -> String {
    withoutDecimals(printable(text))
  }

  /// A text with "…" in place of every number with a decimal point or comma.
  static func withoutDecimals(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    func isDigit(_ index: Int) -> Bool {
      index < scalars.count && scalars[index].properties.numericType == .decimal
    }
    func end(ofDigitsFrom index: Int) -> Int {
      var index = index
      while isDigit(index) { index += 1 }
      return index
    }
    func isFraction(_ index: Int) -> Bool {
      index < scalars.count && (scalars[index] == "." || scalars[index] == ",")
        && isDigit(index + 1)
    }
    var shown = String.UnicodeScalarView()
    var index = 0
    while index < scalars.count {
      var next = end(ofDigitsFrom: index)
      if isFraction(next) {
        while isFraction(next) { next = end(ofDigitsFrom: next + 1) }
        shown.append("…")
      } else {
        next = max(next, index + 1)
        shown.append(contentsOf: scalars[index..<next])
      }
      index = next
    }
    return String(shown)
  }

  /// A foreign text without what controls a terminal, at most 200 characters of it.
  static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(200).filter {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension DecodingError {
  /// Which field of an answer is wrong, and how.
  var asWeatherError: WeatherError {
    let (context, reason): (Context, String) =
      switch self {
      case .typeMismatch(let type, let context): (context, "is not \(type)")
      case .valueNotFound(_, let context): (context, "is null")
      case .keyNotFound(let key, let context): (context, "has no \(key.stringValue)")
      case .dataCorrupted(let context): (context, "is not JSON")
      @unknown default: (Context(codingPath: [], debugDescription: ""), "cannot be read")
      }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return .malformed(
      field: path.isEmpty ? "body" : path.joined(separator: "."), reason: reason)
  }
}

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
