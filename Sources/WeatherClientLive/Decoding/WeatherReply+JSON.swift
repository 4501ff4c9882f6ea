// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import WeatherClient

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
