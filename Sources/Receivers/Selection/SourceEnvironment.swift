// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import SystemSupport

/// The dependencies of a source group: discovery, gpsd, ports and clocks.
public struct SourceEnvironment: Sendable {
  /// The policy for using discovered devices.
  public var policy = DiscoveryPolicy()
  /// The address of the gpsd of this host; `nil` if gpsd is not to be used.
  public var localGPSD = GPSDAddress(host: "localhost")
  /// Reads the configuration of gpsd; called whenever a receiver is plugged in.
  public var gpsdConfiguration: @Sendable () -> GPSDConfiguration = { .installed() }
  /// Reports devices and their changes until the task is cancelled.
  ///
  /// When the sources of the group change, the group cancels the call and makes another call with a
  /// new policy. Each call must report all present devices, followed by ``DiscoveryEvent/settled``.
  public var discover:
    @Sendable (DiscoveryPolicy, @escaping @Sendable (DiscoveryEvent) -> Void) async -> Void = {
      await UDevReceivers(policy: $0).run(delivering: $1)
    }
  /// Whether a failed source supplied by the caller is restarted with back-off, like a port.
  public var restartsFailedSources = false
  /// Makes the source of a port.
  var openPort:
    @Sendable (
      _ devnode: String, _ baud: Int?, _ requiresValidation: Bool, _ allowsMissingChecksum: Bool
    ) -> any FixSource = {
      SerialSource(devnode: $0, baud: $1, requiresValidation: $2, allowsMissingChecksum: $3)
    }
  /// Makes the source of a gpsd.
  var openGPSD: @Sendable (GPSDAddress) -> any FixSource = { GPSDSource(address: $0) }
  /// The clock for waiting.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// Returns the current time, in the time base of the fixes' arrival times.
  package var now: @Sendable () -> MonotonicTime = MonotonicTime.now
  /// Returns a seed for the jitter of the back-off delays.
  var makeSeed: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

  /// Makes the environment of this host: its udev, and its gpsd on the default port.
  public init() {}

  /// Makes the environment of this host, with ports whose raw sentences are recorded and, on
  /// demand, forwarded.
  package init(recordingInto sentences: RawSentences?, demand: SentenceDemand? = nil) {
    openPort = {
      var source = SerialSource(
        devnode: $0, baud: $1, requiresValidation: $2, allowsMissingChecksum: $3)
      source.sentences = sentences
      source.sentenceDemand = demand
      return source
    }
  }
}
