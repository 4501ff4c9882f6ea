// SPDX-License-Identifier: Apache-2.0

/// An event of the receiver discovery.
public enum DiscoveryEvent: Equatable, Sendable {
  /// A receiver is available.
  case found(DiscoveredReceiver)
  /// A serial converter, which may have a receiver behind it. Not opened without consent.
  case candidate(DiscoveredReceiver)
  /// A device that is not used.
  case ignored(DiscoveredReceiver, IgnoredReason)
  /// A device reported earlier was unplugged, or is reported with another result next.
  case gone(DiscoveredReceiver)
  /// All devices present at the start have been reported.
  case settled
  /// New devices cannot be detected. Delivered instead of ``settled`` if this is so from the start.
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
