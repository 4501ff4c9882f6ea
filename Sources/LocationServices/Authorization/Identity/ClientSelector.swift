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
  /// - Throws: ``PolicySyntaxError`` if the words are not a selector or the user does not exist.
  package init(words: [String]) throws(PolicySyntaxError) {
    var reader = PolicyWordReader(words: words)
    self = try reader.takeSelector(userID: UserNames.number)
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

  package var words: [String] {
    let parts = [userID.map { "uid=\($0)" }, systemUnit.map { "unit=\($0)" }].compactMap { $0 }
    return parts.isEmpty ? ["everyone"] : parts
  }
}
