// SPDX-License-Identifier: Apache-2.0

/// The address of a broker: `mqtt://HOST`, or `mqtts://HOST` with TLS, with `:PORT` if needed.
struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
  let host: String
  let port: Int
  let isSecure: Bool

  /// Parses an address; `nil` if the text is not one.
  init?(_ text: String) {
    let rest: Substring
    if text.hasPrefix("mqtts://") {
      (rest, isSecure) = (text.dropFirst(8), true)
    } else if text.hasPrefix("mqtt://") {
      (rest, isSecure) = (text.dropFirst(7), false)
    } else {
      return nil
    }
    var (host, digits) = (rest, Substring())
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      digits = rest[rest.index(after: end)...]
    } else if let colon = rest.firstIndex(of: ":") {
      (host, digits) = (rest[..<colon], rest[colon...])
    }
    let isHost = host.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-._:%".contains($0))
    }
    guard !host.isEmpty, isHost, digits.isEmpty || digits.hasPrefix(":"),
      let port = digits.isEmpty ? (isSecure ? 8883 : 1883) : UInt16(digits.dropFirst()), port > 0
    else { return nil }
    (self.host, self.port) = (String(host), Int(port))
  }

  /// Whether a password cannot be read on the way to the broker.
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? "mqtts" : "mqtt")://\(name):\(port)"
  }
}
