// SPDX-License-Identifier: Apache-2.0

/// What a program can ask for.
public enum AuthorizationRequest: String, Hashable, Codable, Sendable, CaseIterable {
  /// To know where the board is while the program is in use.
  case whenInUse
  /// To know at any time.
  case always
}

extension AuthorizationRequest {
  /// What a program asks for that says no more than what it wants to know for.
  ///
  /// A unit runs unattended: while nobody uses it and it is busy with nothing that it names, "while in
  /// use" would be of no use to it.
  ///
  /// - Parameters:
  ///   - client: Who asks.
  ///   - isInUse: Whether the program counts as in use, be it for an activity.
  /// - Returns: The request.
  package static func byTheWay(of client: ClientIdentity, isInUse: Bool) -> Self {
    client.systemUnit != nil && !isInUse ? .always : .whenInUse
  }
}
