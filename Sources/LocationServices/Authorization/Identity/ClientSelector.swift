// SPDX-License-Identifier: Apache-2.0

/// The clients that a rule or a decision applies to; all parts that are present must match.
///
/// Written as `uid=1000 unit=weather.service`, both in policy files and on the command line;
/// `everyone` has no parts.
package struct ClientSelector: Hashable, Codable, Sendable {
  /// The user; `nil` matches every user.
  package var userID: UInt32?
  /// The system unit; `nil` matches every unit, and processes outside of units.
  package var systemUnit: String?

  package init(userID: UInt32? = nil, systemUnit: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
  }

  /// Parses a selector from the words of a command line.
  ///
  /// On a command line, the name of a user stands for `user=NAME` and a number for `uid=NUMBER`.
  ///
  /// - Throws: ``PolicySyntaxError`` if the words are not a selector or the user does not exist.
  package init(
    words: [String], userID: (String) -> UInt32? = UserNames.number
  ) throws(PolicySyntaxError) {
    var reader = PolicyWordReader(words: [])
    for word in words { try reader.append(bareWord: word, userID: userID) }
    self = try reader.takeSelector(userID: userID)
    try reader.end()
  }

  /// Matches every client.
  package static let everyone = ClientSelector()

  /// The precedence of the selector; the higher value wins.
  ///
  /// A system unit is more specific than a user, who may run many units.
  package var specificity: Int { (systemUnit == nil ? 0 : 2) + (userID == nil ? 0 : 1) }

  /// Returns whether all parts that are present match the client.
  package func matches(_ client: ClientIdentity) -> Bool {
    (userID == nil || userID == client.userID)
      && (systemUnit == nil || systemUnit == client.systemUnit)
  }
}

extension ClientSelector: CustomStringConvertible {
  package var description: String { words.joined(separator: " ") }

  package var words: [String] { words { _ in nil } }

  /// Returns the words with the name of the user.
  ///
  /// The number is used if the user has no name, or if the name is not one plain word of a shell.
  package func words(naming userName: (UInt32) -> String?) -> [String] {
    let user = userID.map { number in
      userName(number).flatMap { Self.isPlain($0) ? "user=\($0)" : nil } ?? "uid=\(number)"
    }
    let parts = [user, systemUnit.map { "unit=\($0)" }].compactMap { $0 }
    return parts.isEmpty ? ["everyone"] : parts
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name != "everyone"
      && name.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
