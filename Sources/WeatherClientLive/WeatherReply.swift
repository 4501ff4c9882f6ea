// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import NIOHTTP1
public import Positioning
internal import WeatherClient

/// An HTTP response of a provider.
public struct WeatherReply: Equatable, Sendable {
  /// The HTTP status code; 0 if an optional request got no response.
  public var status: Int
  /// The decompressed body.
  public var body: [UInt8]
  /// The `Date` header: the time of the response by the server's clock.
  public var serverTime: UTCTime?
  /// The time until which the response is fresh, from `Expires` and `Cache-Control`; `nil` without
  /// these headers.
  public var expiresAt: UTCTime?
  /// The validator for the next conditional request, or `nil` if the response has no validator.
  public var validator: WeatherValidator?
  /// The `Retry-After` header in seconds, 0 or more; `nil` without the header.
  public var retryAfterSeconds: Double?

  /// Creates a reply without headers.
  public init(status: Int = 200, body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// Whether the status is 200 or 203.
  ///
  /// MET Norway sends 203 for a deprecated API version.
  var isSuccess: Bool { status == 200 || status == 203 }

  /// The error for an unsuccessful status, with the message from the body.
  var standardRefusal: WeatherError {
    switch status {
    case 429: .rateLimited(retryAfterSeconds: retryAfterSeconds, reason: reason)
    case 503 where retryAfterSeconds != nil:
      .rateLimited(retryAfterSeconds: retryAfterSeconds, reason: reason)
    default: .badStatus(code: status, reason: reason)
    }
  }
}

/// The validators of a response, for a conditional request.
public struct WeatherValidator: Equatable, Hashable, Codable, Sendable {
  /// The unparsed value of the `Last-Modified` header.
  public var lastModified: String?
  /// The unparsed value of the `ETag` header.
  public var entityTag: String?

  /// Creates a validator, or returns `nil` if both values are `nil`.
  public init?(lastModified: String?, entityTag: String? = nil) {
    guard lastModified != nil || entityTag != nil else { return nil }
    self.lastModified = lastModified
    self.entityTag = entityTag
  }
}

extension WeatherReply {
  /// Decodes the body as JSON.
  ///
  /// - Throws: `malformed` with the name of the invalid field. The name is `body` if the body is not
  ///   JSON, as a page of a captive portal, and `reply` if the whole reply is invalid.
  func json<Form: Decodable>(_ form: Form.Type) throws(WeatherError) -> Form {
    guard !body.isEmpty else { throw .malformed(field: "body", reason: "empty") }
    do {
      return try JSONDecoder().decode(form, from: Data(body))
    } catch let error as DecodingError {
      throw error.weatherError(inJSON: beginsAsJSON) ?? invalidJSON
    } catch {
      throw invalidJSON
    }
  }

  /// Whether the body begins with an object or an array.
  private var beginsAsJSON: Bool { PathVerifier.Outcome(status: 200, body: body) == .verified }

  /// The error for a body that is not valid JSON.
  private var invalidJSON: WeatherError {
    guard beginsAsJSON else { return .malformed(field: "body", reason: "is not JSON") }
    guard !endsEarly else {
      return .malformed(field: "reply", reason: "ends early, after \(body.count) bytes")
    }
    return .malformed(
      field: "reply", reason: "is damaged, or contains a value that is not JSON, such as nan")
  }

  /// Whether the body ends before its first object or array ends.
  private var endsEarly: Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in body {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return depth > 0 || isInString
  }

  /// The sanitized error message in the body, or `nil` if the body contains no message.
  ///
  /// The name of the field depends on the provider. Problem details (RFC 9457) have the fields
  /// `title` and `detail`.
  var reason: String? {
    struct ErrorFields: Decodable {
      var reason: String?
      var detail: String?
      var message: String?
      var title: String?
      var error: String?

      enum Key: String, CodingKey { case reason, detail, message, title, error }

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        // Ignore values that are not strings: some providers send "error": true.
        reason = try? values.decode(String.self, forKey: .reason)
        detail = try? values.decode(String.self, forKey: .detail)
        message = try? values.decode(String.self, forKey: .message)
        title = try? values.decode(String.self, forKey: .title)
        error = try? values.decode(String.self, forKey: .error)
      }
    }
    guard let fields = try? JSONDecoder().decode(ErrorFields.self, from: Data(body))
    else { return nil }
    let text = fields.reason ?? fields.detail ?? fields.message ?? fields.title ?? fields.error
    return text.map(Self.sanitized).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Sanitizes a provider's text for output on one line.
  ///
  /// Keeps at most 200 characters, removes control characters, and replaces every number with a
  /// decimal point or comma by "…". A provider's error message may contain the coordinate, and is
  /// shown in logs, in the status, and to clients without access to the location.
  static func sanitized(_ text: String) -> String {
    withoutDecimals(printable(text))
  }

  /// Replaces every number with a decimal point or comma by "…".
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

  /// Returns the first 200 characters without control and format characters.
  static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(200).filter {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension DecodingError {
  /// Returns a `malformed` error with the path of the invalid field, or `nil` if the text is not
  /// JSON.
  ///
  /// - Parameter isJSON: Whether the text begins as JSON.
  /// - Returns: The error.
  fileprivate func weatherError(inJSON isJSON: Bool) -> WeatherError? {
    if case .dataCorrupted(let context) = self, context.codingPath.isEmpty { return nil }
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
      field: path.isEmpty ? (isJSON ? "reply" : "body") : path.joined(separator: "."),
      reason: reason)
  }
}

extension WeatherReply {
  /// Creates a reply from the parts of an HTTP response.
  init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.init(status: status, body: body)
    serverTime = ProviderTime.http(headers.first(name: "Date"))
    expiresAt = Self.expiry(headers, serverTime: serverTime)
    validator = WeatherValidator(
      lastModified: Self.withinLimit(headers.first(name: "Last-Modified")),
      entityTag: Self.withinLimit(headers.first(name: "ETag")))
    retryAfterSeconds = Self.retryAfterSeconds(
      headers.first(name: "Retry-After"), serverTime: serverTime)
  }

  /// Returns a header value, or `nil` if the value is longer than 256 bytes.
  ///
  /// The limit keeps long validators out of the store.
  private static func withinLimit(_ text: String?) -> String? {
    text.flatMap { $0.utf8.count <= 256 ? $0 : nil }
  }

  /// Returns the later of the two expiry times from `Expires` and `max-age`.
  ///
  /// The result is at most a day after the server's time. The `Age` header is subtracted from both
  /// times, since `Date` is the time at which the origin server created a cached response. Without
  /// a `Date` header, returns `Expires` unchanged.
  private static func expiry(_ headers: HTTPHeaders, serverTime: UTCTime?) -> UTCTime? {
    let expires = ProviderTime.http(headers.first(name: "Expires"))
    guard let serverTime else { return expires }
    let directives = headers[canonicalForm: "Cache-Control"].map { $0.lowercased() }
    let prefix = "max-age="
    let statedAge = headers.first(name: "Age").flatMap { Int64($0) } ?? 0
    let age = min(max(statedAge, 0), longestSeconds)
    let seconds = directives.first { $0.hasPrefix(prefix) }
      .flatMap { Int64($0.dropFirst(prefix.count)) }
    let fromMaxAge = seconds.map {
      after(min(max($0, 0), longestSeconds) - age)
    }
    let fromExpires = expires.map { UTCTime(secondsSince1970: $0.secondsSince1970 &- age) }
    func after(_ seconds: Int64) -> UTCTime {
      UTCTime(secondsSince1970: serverTime.secondsSince1970 &+ seconds)
    }
    guard let latest = [fromExpires, fromMaxAge].compactMap({ $0 }).max() else { return nil }
    return min(latest, after(longestSeconds))
  }

  /// The maximum lifetime in seconds that is accepted from headers: a day.
  static let longestSeconds: Int64 = 86_400

  /// Parses `Retry-After`, which contains seconds or a date, and returns seconds.
  ///
  /// A date is compared with the `Date` header, since the board's clock may be wrong.
  private static func retryAfterSeconds(_ text: String?, serverTime: UTCTime?) -> Double? {
    guard let text else { return nil }
    if let seconds = Double(text) { return seconds >= 0 && seconds.isFinite ? seconds : nil }
    guard let serverTime, let date = ProviderTime.http(text) else { return nil }
    return max(0, Double(date.nanoseconds(since: serverTime)) / 1e9)
  }
}
