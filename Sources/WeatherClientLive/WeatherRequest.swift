// SPDX-License-Identifier: Apache-2.0

/// One question to a provider: a GET relative to its base URL.
///
/// It never shows its path or parameters: a key may be among them.
public struct WeatherRequest: Equatable, Sendable {
  /// The path, escaped, beginning with a slash.
  public var path: String
  /// The parameters behind it: names and values, not escaped.
  public var parameters: [Parameter]
  /// Whether it may be answered with "nothing new" to whoever has an answer already.
  public var isConditional = false
  /// Whether a refusal of it, or no answer at all, is for the provider to judge, and not the end of
  /// the lookup.
  ///
  /// The provider sees no answer at all as one of status 0.
  public var isOptional = false
  /// For how many seconds its answer holds for this question; `nil` where it is asked every time.
  public var reuseSeconds: Double?

  /// A name and its value.
  public struct Parameter: Equatable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
  }

  /// Makes a question.
  ///
  /// - Parameters:
  ///   - path: The path, beginning with a slash; keys and the like in it are escaped.
  ///   - parameters: Names and values.
  public init(path: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.path = path
    self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
  }

  /// Path and parameters as they are sent.
  var target: String {
    guard !parameters.isEmpty else { return path }
    let pairs = parameters.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }
    return path + "?" + pairs.joined(separator: "&")
  }

  /// A text as part of a URL: everything but letters, digits and `-._~,` is escaped.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2C, 0x2D, 0x2E, 0x5F, 0x7E:
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hexadecimal = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (byte < 16 ? "0" : "") + hexadecimal
      }
    }
    return escaped
  }
}

extension WeatherRequest: CustomStringConvertible, CustomReflectable {
  /// That it is a question, and no more.
  public var description: String { "a question to a weather provider" }

  /// What a dump shows: the same.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
