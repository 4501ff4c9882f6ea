// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// Where a provider is, and who asks it.
///
/// It never shows its key: not in text, not in a dump.
public struct WeatherProviderConfiguration: Equatable, Hashable, Sendable {
  /// The URL that the provider's paths are appended to; `nil` for the public service.
  public var baseURL: String?
  /// The key that the provider knows its customer by; `nil` where it takes none.
  public var key: String?
  /// A URL or address to reach whoever runs this board at; sent with each request.
  public var contact: String?
  /// How fine the grid is that coordinates are snapped to, in decimals of a degree, 0 to 4.
  ///
  /// A provider may make it coarser, and never finer.
  public var gridDecimals: Int

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - baseURL: Where it is; `nil` for the public service.
  ///   - key: The key, where one is needed.
  ///   - contact: Whom the provider can turn to.
  ///   - gridDecimals: How fine the grid is.
  public init(
    baseURL: String? = nil, key: String? = nil, contact: String? = nil,
    gridDecimals: Int = WeatherCell.standardDecimals
  ) {
    self.baseURL = baseURL
    self.key = key
    self.contact = contact
    self.gridDecimals = gridDecimals
  }

  /// A number that changes with the configuration and tells nothing of it, in hexadecimal.
  ///
  /// For whoever remembers that a configuration was refused without storing its key. FNV-1a of 64
  /// bits over all parts.
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
  /// The configuration in words, without its key.
  public var description: String {
    "\(baseURL ?? "public service"), \(key == nil ? "no key" : "a key")"
      + ", contact \(contact ?? "unknown")"
  }

  /// What a dump shows: the same, without the key.
  public var customMirror: Mirror {
    Mirror(self, children: ["description": description], displayStyle: .struct)
  }
}
