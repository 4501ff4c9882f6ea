// SPDX-License-Identifier: Apache-2.0

/// The satellites over a receiver at one time, one entry a satellite and signal.
public struct SkyView: Equatable, Hashable, Sendable {
  /// When it was true; `nil` before the receiver knows the time.
  public var time: UTCTime?
  /// The satellites, in the order in which they were reported.
  public var satellites: [Satellite]
  /// The dilutions of precision.
  public var dilution: Dilution
  /// When the last byte of it arrived, on the monotonic clock; `nil` in a replay at once.
  public var receivedAt: MonotonicTime?
  /// The receiver that it is over, by the name it keeps; `nil` where the source has only one.
  public var source: String?
  /// Whether it comes from a simulator.
  public var isSimulated: Bool

  /// Makes a view.
  ///
  /// - Parameters:
  ///   - time: When it was true.
  ///   - satellites: The satellites.
  ///   - dilution: The dilutions of precision.
  public init(
    time: UTCTime? = nil, satellites: [Satellite] = [], dilution: Dilution = Dilution()
  ) {
    self.time = time
    self.satellites = satellites
    self.dilution = dilution
    isSimulated = false
  }

  /// How many different satellites the solution used.
  public var usedCount: Int { Set(satellites.lazy.filter(\.isUsed).map(\.id)).count }

  /// How many different satellites are reported.
  public var inViewCount: Int { Set(satellites.lazy.map(\.id)).count }
}
