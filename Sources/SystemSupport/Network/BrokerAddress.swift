// SPDX-License-Identifier: Apache-2.0

/// The address of an MQTT broker: `mqtt://HOST`, or `mqtts://HOST` with TLS, with `:PORT` if needed.
package struct BrokerAddress: Hashable, Sendable {
  package let server: HostPort
  package let isSecure: Bool

  /// Parses an address; `nil` if the text is not one, for example because it contains a password.
  package init?(_ text: String) {
    isSecure = text.hasPrefix("mqtts://")
    guard isSecure || text.hasPrefix("mqtt://"), let scheme = text.firstRange(of: "://") else {
      return nil
    }
    let address = String(text[scheme.upperBound...])
    guard let server = try? HostPort(address, defaultPort: isSecure ? 8883 : 1883) else {
      return nil
    }
    self.server = server
  }
}

extension BrokerAddress: CustomStringConvertible {
  /// The address with its port.
  package var description: String { "\(isSecure ? "mqtts" : "mqtt")://\(server)" }
}
