// SPDX-License-Identifier: Apache-2.0

/// What a program can ask for.
public enum AuthorizationRequest: String, Hashable, Codable, Sendable, CaseIterable {
  /// To know where the board is while the program is in use.
  case whenInUse
  /// To know at any time.
  case always
}
