// SPDX-License-Identifier: Apache-2.0

/// What a person is told where the feature may not know the board's place.
public enum AuthorizationAlert: String, Hashable, Sendable {
  /// Refused by a decision that can be changed.
  case denied
  /// Locked by the administrator.
  case restricted

  /// The alert in a sentence.
  public var text: String {
    switch self {
    case .denied: "Please give us location access."
    case .restricted: "Location access is locked by this board's administrator."
    }
  }
}
