// SPDX-License-Identifier: Apache-2.0

/// Where a location comes from, and what to know about that.
public struct SourceInformation: Equatable, Hashable, Codable, Sendable {
  /// The receiver or source, by the name it keeps; `nil` where it has none.
  public var receiver: String?
  /// Whether it comes from a simulator.
  public var isSimulatedBySoftware: Bool
  /// Whether the receiver's date was out by whole GPS week cycles and has been put right.
  public var isDateCorrected: Bool

  /// Makes it.
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
  /// Core Location's `isProducedByAccessory` has no counterpart: every receiver here is one.
  public var sourceInformation: SourceInformation {
    SourceInformation(
      receiver: source, isSimulatedBySoftware: isSimulated, isDateCorrected: isDateCorrected)
  }
}
