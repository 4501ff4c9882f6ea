// SPDX-License-Identifier: Apache-2.0

/// An event of the receiver discovery.
public enum DiscoveryEvent: Equatable, Sendable {
  /// A receiver is available.
  case found(DiscoveredReceiver)
  /// A serial converter that may have a receiver attached. Not opened without the user's consent.
  case candidate(DiscoveredReceiver)
  /// A device that is not used.
  case ignored(DiscoveredReceiver, IgnoredReason)
  /// A device reported earlier was unplugged, or is reported with another result next.
  case gone(DiscoveredReceiver)
  /// All devices present at the start have been reported.
  case settled
  /// New devices cannot be detected. At the start, delivered instead of ``settled``.
  case unavailable(UDevUnavailable)

  /// The device of the event; `nil` for ``settled`` and ``unavailable(_:)``.
  public var receiver: DiscoveredReceiver? {
    switch self {
    case .found(let receiver), .candidate(let receiver), .ignored(let receiver, _),
      .gone(let receiver):
      receiver
    case .settled, .unavailable: nil
    }
  }
}
