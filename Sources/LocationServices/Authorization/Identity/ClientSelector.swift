// SPDX-License-Identifier: Apache-2.0

/// Whom a rule or an answer is about: every part that it names must be the client's.
///
/// Written as `uid=1000 unit=weather.service app=org.example.map`, the same way in policy files
/// and on the command line; `everyone` names no part.
public struct ClientSelector: Hashable, Codable, Sendable {
  /// The user; `nil` for any.
  public var userID: UInt32?
  /// The system unit; `nil` for any or none.
  public var systemUnit: String?
  /// What the program calls itself; `nil` for anything.
  public var applicationID: String?

  /// Makes a selector.
  ///
  /// - Parameters:
  ///   - userID: The user; `nil` for any.
  ///   - systemUnit: The system unit; `nil` for any or none.
  ///   - applicationID: What the program calls itself; `nil` for anything.
  public init(userID: UInt32? = nil, systemUnit: String? = nil, applicationID: String? = nil) {
    self.userID = userID
    self.systemUnit = systemUnit
    self.applicationID = applicationID
  }

  /// Reads a selector as it is written on the command line.
  ///
  /// - Parameter words: Such as `uid=1000` and `app=org.example.map`, or `everyone`.
  /// - Throws: ``PolicyMistake`` for what is no selector, or for a user that is not there.
  public init(words: [String]) throws(PolicyMistake) {
    var reader = PolicyWords(words: words)
    self = try reader.takeSelector(userID: UserNames.number)
    try reader.end()
  }

  /// Selects every client.
  public static let everyone = ClientSelector()

  /// Whether it names something that the program says of itself.
  public var isSelfDeclared: Bool { applicationID != nil }

  /// How precisely it selects: the higher number wins.
  ///
  /// A system unit says more than a user, who may run many; a program's own name says least.
  public var specificity: Int {
    (systemUnit == nil ? 0 : 4) + (userID == nil ? 0 : 2) + (applicationID == nil ? 0 : 1)
  }

  /// Whether a client is meant.
  ///
  /// - Parameter client: The client.
  /// - Returns: Whether every part that is named is the client's.
  public func matches(_ client: ClientIdentity) -> Bool {
    (userID == nil || userID == client.userID)
      && (systemUnit == nil || systemUnit == client.systemUnit)
      && (applicationID == nil || applicationID == client.applicationID)
  }
}

extension ClientSelector: CustomStringConvertible {
  /// The selector as it is written.
  public var description: String { words.joined(separator: " ") }

  /// The words of the selector.
  public var words: [String] {
    let parts = [
      userID.map { "uid=\($0)" }, systemUnit.map { "unit=\($0)" },
      applicationID.map { "app=\($0)" },
    ].compactMap { $0 }
    return parts.isEmpty ? ["everyone"] : parts
  }
}
