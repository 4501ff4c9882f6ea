// SPDX-License-Identifier: Apache-2.0

/// What finding receivers has found out.
public enum DiscoveryEvent: Equatable, Sendable {
  /// There is a receiver to use.
  case found(DiscoveredReceiver)
  /// There is a converter that may have a receiver behind it: not opened without consent.
  case candidate(DiscoveredReceiver)
  /// There is a device that is left alone.
  case ignored(DiscoveredReceiver, IgnoredReason)
  /// What was found, a candidate or ignored is no longer so: mostly it was unplugged.
  case gone(DiscoveredReceiver)
  /// All that was there from the start has been told.
  case settled
  /// Nothing that is plugged in from now on will be noticed; comes in place of settled where that
  /// is so from the start.
  case unavailable(UDevUnavailable)

  /// The device that it is about; `nil` where it is about none.
  public var receiver: DiscoveredReceiver? {
    switch self {
    case .found(let receiver), .candidate(let receiver), .ignored(let receiver, _),
      .gone(let receiver):
      receiver
    case .settled, .unavailable: nil
    }
  }
}
