// SPDX-License-Identifier: Apache-2.0

/// Recognizes an HTTP request in the first bytes of a client.
///
/// A service that fetches URLs for others can be made to send one to a port of the board. Its user may
/// have access to the location, and the URL may contain a request of another protocol.
struct HTTPRequestDetector: Sendable {
  /// The maximum length of a method; HTTP defines no longer one than 17 bytes.
  private static let maxMethodBytes = 20

  private var methodBytes = 0
  private var isDecided = false

  /// Takes the next bytes of the client, and returns whether they complete the method of an HTTP
  /// request: letters and a space at the very beginning.
  mutating func detects(_ bytes: some Sequence<UInt8>) -> Bool {
    guard !isDecided else { return false }
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "-"):
        methodBytes += 1
        guard methodBytes > Self.maxMethodBytes else { continue }
      case UInt8(ascii: " ") where methodBytes > 0: return true
      default: break
      }
      isDecided = true
      return false
    }
    return false
  }
}
