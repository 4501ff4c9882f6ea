// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Where a location comes from, and what to know about that.
///
/// Core Location's `CLLocationSourceInformation` tells a simulator and an accessory. Differs in
/// that it names the receiver and tells of a date put right; whether it is an accessory it does not
/// say, since every receiver is one.
public struct SourceInformation: Equatable, Hashable, Codable, Sendable {
  /// The receiver or source, by the name it keeps; `nil` where it has none.
  public var receiver: String?
  /// Whether it comes from a simulator.
  ///
  /// As in Core Location: true for what software has made up, and for what gpsd or the receiver
  /// itself calls simulated.
  public var isSimulatedBySoftware: Bool
  /// Whether the receiver's date was out by whole GPS week cycles and has been put right.
  public var isDateCorrected: Bool

  /// Makes it.
  ///
  /// Core Location's takes whether it is simulated and whether an accessory made it. Differs by
  /// what it tells.
  ///
  /// - Parameters:
  ///   - receiver: The receiver or source.
  ///   - isSimulatedBySoftware: Whether it comes from a simulator.
  ///   - isDateCorrected: Whether the date has been put right.
  public init(
    receiver: String?, isSimulatedBySoftware: Bool = false, isDateCorrected: Bool = false
  ) {
    self.receiver = receiver
    self.isSimulatedBySoftware = isSimulatedBySoftware
    self.isDateCorrected = isDateCorrected
  }
}

extension Location {
  /// Where it comes from, all in one.
  ///
  /// Core Location's is `nil` where nothing is known of the source. Differs in that it is always
  /// there: whether a receiver was simulated is known of each location. `isProducedByAccessory` has
  /// no counterpart, since every receiver is an accessory.
  public var sourceInformation: SourceInformation {
    SourceInformation(
      receiver: source, isSimulatedBySoftware: isSimulated, isDateCorrected: isDateCorrected)
  }
}
