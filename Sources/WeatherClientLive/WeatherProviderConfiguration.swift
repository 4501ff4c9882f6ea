// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// The configuration of a weather provider: base URL, key, contact and grid.
///
/// `description` and `customMirror` omit the key.
public struct WeatherProviderConfiguration: Equatable, Hashable, Sendable {
  /// The URL to which request paths are appended, or `nil` for the public service.
  public var baseURL: String?
  /// The API key, or `nil` for a provider without keys.
  public var key: String?
  /// The operator's URL or e-mail address, sent in `User-Agent` with each request.
  public var contact: String?
  /// The number of decimal places, 0 to 4, to which coordinates in degrees are rounded.
  ///
  /// A provider may use fewer decimal places, but never more.
  public var gridDecimals: Int

  /// Creates a configuration.
  public init(
    baseURL: String? = nil, key: String? = nil, contact: String? = nil,
    gridDecimals: Int = WeatherCell.standardDecimals
  ) {
    self.baseURL = baseURL
    self.key = key
    self.contact = contact
    self.gridDecimals = gridDecimals
  }

  /// A hash of the configuration in hexadecimal: 64-bit FNV-1a over all properties.
  ///
  /// The hash identifies a refused configuration in the store, which must not contain the key.
  public var fingerprint: String {
    Self.fingerprint(of: [baseURL, key, contact, String(gridDecimals)])
  }

  static func fingerprint(of parts: [String?]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in parts {
      for byte in (part ?? "\u{1}").utf8 + [0] {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    return String(hash, radix: 16)
  }
}

extension WeatherProviderConfiguration: CustomStringConvertible, CustomReflectable {
  /// A description for logs, without the key.
  public var description: String {
    "\(baseURL ?? "public service"), \(key == nil ? "no key" : "a key")"
      + ", contact \(contact ?? "unknown")"
  }

  /// A mirror that contains only the description, without the key.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}
