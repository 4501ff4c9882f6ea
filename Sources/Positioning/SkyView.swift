// SPDX-License-Identifier: Apache-2.0

/// The satellites in view of a receiver, one entry for each satellite and signal.
public struct SkyView: Equatable, Hashable, Sendable {
  /// The UTC time of the view; `nil` before the receiver knows the time.
  public var time: UTCTime?
  /// The satellites, in the order in which they were reported.
  ///
  /// Empty if the receiver states that no satellite is in view.
  public var satellites: [Satellite]
  /// The dilutions of precision.
  public var dilution: Dilution
  /// The time at which the last byte of the view arrived; `nil` in a replay at full speed.
  public var receivedAt: MonotonicTime?
  /// The name of the receiver; `nil` if the source has only one receiver.
  public var source: String?
  /// Whether the view is from a simulator.
  public var isSimulated: Bool
  /// Whether the view is from a recording.
  public var isReplayed: Bool

  /// Makes a view.
  public init(
    time: UTCTime? = nil, satellites: [Satellite] = [], dilution: Dilution = Dilution()
  ) {
    self.time = time
    self.satellites = satellites
    self.dilution = dilution
    isSimulated = false
    isReplayed = false
  }

  /// The number of different satellites used.
  public var usedCount: Int { Set(satellites.lazy.filter(\.isUsed).map(\.id)).count }

  /// The number of different satellites in view.
  public var inViewCount: Int { Set(satellites.lazy.map(\.id)).count }
}
