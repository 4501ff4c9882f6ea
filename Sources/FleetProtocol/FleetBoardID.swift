// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// The name of a board in topics and in the database: 1 to 32 characters of `a-z`, `0-9` and `-`.
///
/// RabbitMQ maps `/` and `.` to each other, and NATS closes a connection that uses `.` or a space in
/// a topic, so other characters are not portable.
package struct FleetBoardID: Hashable, Sendable, CustomStringConvertible {
  /// Replaces the application id of systemd's sd_id128_get_machine_app_specific.
  private static let application = "fixcast-fleet-board"

  package let text: String

  /// Creates an id; `nil` if the text is empty, too long or contains another character.
  package init?(_ text: some StringProtocol) {
    let isAllowed = text.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard isAllowed, (1...32).contains(text.utf8.count) else { return nil }
    self.text = String(text)
  }

  /// Creates the default id of a board from the content of its `/etc/machine-id`.
  ///
  /// The machine id is confidential, so the id is a hash of it. `nil` unless the content is 32
  /// hexadecimal digits: an image that was not started yet contains `uninitialized` or nothing.
  package init?(machineID: String) {
    let digits = machineID.split(whereSeparator: \.isWhitespace).first ?? ""
    guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else { return nil }
    self.init(SHA256.hexadecimal("\(Self.application):\(digits.lowercased())").prefix(16))
  }

  /// The default shard: the first hexadecimal digit of the SHA-256 of the id.
  package var shard: FleetShard {
    FleetShard(SHA256.hexadecimal(text).prefix(1)) ?? .first
  }

  package var description: String { text }
}

/// One of 16 parts of a fleet: a lower-case hexadecimal digit.
///
/// One consumer reads all boards of a shard.
package struct FleetShard: Hashable, Sendable, CaseIterable, CustomStringConvertible {
  static let first = FleetShard(number: 0)
  package static let allCases = (0..<16).map { FleetShard(number: $0) }

  /// The number of the shard, 0 to 15.
  package let number: Int

  private init(number: Int) { self.number = number }

  /// Creates a shard; `nil` unless the text is one of `0` to `9` and `a` to `f`.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 1, text.lowercased() == text, let number = Int(text, radix: 16) else {
      return nil
    }
    self.number = number
  }

  package var description: String { String(number, radix: 16) }
}
