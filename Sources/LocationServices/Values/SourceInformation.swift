// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The source of a location.
///
/// Core Location's `CLLocationSourceInformation` reports simulators and accessories. Differs from
/// Core Location: this type names the receiver, reports a replay and a corrected date, but has no
/// accessory flag, since every receiver is an accessory.
public struct SourceInformation: Equatable, Hashable, Codable, Sendable {
  /// The stable name of the receiver or source; `nil` if it has no name.
  public var receiver: String?
  /// Whether the location is simulated.
  ///
  /// As in Core Location. True for locations made by software, and for those that gpsd or the
  /// receiver marks as simulated.
  public var isSimulatedBySoftware: Bool
  /// Whether the location is from a recording.
  public var isReplayed: Bool
  /// Whether the receiver's date was wrong by whole GPS week cycles and has been corrected.
  public var isDateCorrected: Bool

  /// Creates source information.
  ///
  /// Core Location's initializer has the simulation and accessory flags. Differs from Core
  /// Location: the parameters are the properties of this type.
  public init(
    receiver: String?, isSimulatedBySoftware: Bool = false, isReplayed: Bool = false,
    isDateCorrected: Bool = false
  ) {
    self.receiver = receiver
    self.isSimulatedBySoftware = isSimulatedBySoftware
    self.isReplayed = isReplayed
    self.isDateCorrected = isDateCorrected
  }
}

extension Location {
  /// The source of the location.
  ///
  /// In Core Location, the property is `nil` if the source is unknown. Differs from Core Location:
  /// the property is never `nil`, because every location records whether it is simulated.
  /// `isProducedByAccessory` has no counterpart, since every receiver is an accessory.
  public var sourceInformation: SourceInformation {
    SourceInformation(
      receiver: source, isSimulatedBySoftware: isSimulated, isReplayed: isReplayed,
      isDateCorrected: isDateCorrected)
  }
}
