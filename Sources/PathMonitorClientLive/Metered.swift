// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// What bytes cost over the default route, in NetworkManager's words and with its numbers
/// (`NMMetered`).
enum Metered: Int32, Sendable {
  case unknown = 0
  case yes = 1
  case no = 2
  /// Judged by the kind of the device, or by what its DHCP server says.
  case guessedYes = 3
  case guessedNo = 4

  /// Whether bytes over an interface of a kind cost money.
  ///
  /// A person's word counts for more than the kind. Of the guesses only a "yes" does: a guess of
  /// "no" knows nothing about a modem that somebody else dials with.
  func isExpensive(_ kind: NetworkPath.Interface.Kind) -> Bool {
    switch self {
    case .yes, .guessedYes: true
    case .no: false
    case .guessedNo, .unknown: kind == .cellular
    }
  }
}
