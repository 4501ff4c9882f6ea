// SPDX-License-Identifier: Apache-2.0

/// Whom a rule or an answer is about: every part that it names must be the client's.
///
/// Written as `uid=1000 unit=weather.service`, the same way in policy files and on the command
/// line; `everyone` names no part.
package struct ClientSelector: Hashable, Codable, Sendable {
  /// The user; `nil` for any.
  package var userID: UInt32?
  /// The system unit; `nil` for any or none.
  package var systemUnit: String?

  package init(userID: UInt32? = nil, systemUnit: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
  }

  /// Reads a selector as it is written on the command line.
  ///
  /// Throws ``PolicyMistake`` for what is no selector, or for a user that is not there.
  package init(words: [String]) throws(PolicyMistake) {
    var reader = PolicyWords(words: words)
    self = try reader.takeSelector(userID: UserNames.number)
    try reader.end()
  }

  /// Selects every client.
  package static let everyone = ClientSelector()

  /// How precisely it selects: the higher number wins.
  ///
  /// A system unit says more than a user, who may run many.
  package var specificity: Int { (systemUnit == nil ? 0 : 2) + (userID == nil ? 0 : 1) }

  /// Whether a client is meant.
  ///
  /// - Returns: Whether every part that is named is the client's.
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
