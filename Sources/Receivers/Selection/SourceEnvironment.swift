// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import SystemSupport

/// Where a group of sources looks for receivers and gpsd.
public struct SourceEnvironment: Sendable {
  /// What decides about devices that are plugged in.
  public var policy = DiscoveryPolicy()
  /// The gpsd of this host; `nil` where it is not to be asked.
  public var localGPSD = GPSDAddress(host: "localhost")
  /// Reads what gpsd is configured for; asked whenever a receiver is plugged in.
  public var gpsdConfiguration: @Sendable () -> GPSDConfiguration = { .installed() }
  /// Tells of devices that come and go, until cancelled.
  ///
  /// Cancelled and begun anew with another policy when other ports are named: it tells again what
  /// is there, and that it has.
  public var discover:
    @Sendable (DiscoveryPolicy, @escaping @Sendable (DiscoveryEvent) -> Void) async -> Void = {
      await UDevReceivers(policy: $0).run(delivering: $1)
    }
  /// Whether a source that was handed in is restarted with back-off when it fails, as a port is.
  public var restartsFailedSources = false
  /// Makes the source of a port.
  var openPort:
    @Sendable (_ devnode: String, _ baud: Int?, _ requiresValidation: Bool) -> any FixSource = {
      SerialSource(devnode: $0, baud: $1, requiresValidation: $2)
    }
  /// Makes the source of a gpsd.
  var openGPSD: @Sendable (GPSDAddress) -> any FixSource = { GPSDSource(address: $0) }
  /// What waits are measured by.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The present reading of the clock that fixes are received by.
  package var now: @Sendable () -> MonotonicTime = MonotonicTime.now
  /// What decides on the random part of waits.
  var makeSeed: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

  /// Makes the surroundings of this host: its udev, and gpsd on its usual port.
  public init() {}
}
