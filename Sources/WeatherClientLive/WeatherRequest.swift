// SPDX-License-Identifier: Apache-2.0

/// A GET request to a provider, relative to the provider's base URL.
///
/// `description` and `customMirror` omit the path and the parameters, which may contain a key.
public struct WeatherRequest: Equatable, Sendable {
  /// The percent-encoded path, beginning with a slash.
  public var path: String
  /// The query parameters, not percent-encoded.
  public var parameters: [Parameter]
  /// Whether the request contains the stored validator, so that the server may reply with 304.
  public var isConditional = false
  /// Whether the lookup continues if this request fails.
  ///
  /// If the optional request fails, ``WeatherProvider/decode(_:for:)`` gets the error reply, or a
  /// reply with status 0 if no reply arrived.
  public var isOptional = false
  /// The number of seconds for which the reply is cached, or `nil` to disable caching.
  public var reuseSeconds: Double?

  /// A query parameter.
  public struct Parameter: Equatable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
  }

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - path: The percent-encoded path, beginning with a slash.
  ///   - parameters: The query parameters, not percent-encoded.
  public init(path: String, parameters: KeyValuePairs<String, String> = [:]) {
    self.path = path
    self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
  }

  /// The path and the query, percent-encoded.
  var target: String {
    guard !parameters.isEmpty else { return path }
    let pairs = parameters.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }
    return path + "?" + pairs.joined(separator: "&")
  }

  /// Percent-encodes everything except letters, digits and `-._~,`.
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
  /// A fixed text without path and parameters.
  public var description: String { "a request to a weather provider" }

  /// A mirror that contains only the description.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
