// SPDX-License-Identifier: Apache-2.0

/// What a decoder has seen: every byte and line ends up in one of these.
public struct NMEACounters: Equatable, Sendable {
  /// Bytes taken in.
  public var bytes: UInt64 = 0
  /// Sentences with a right checksum, understood or not.
  public var sentences: UInt64 = 0
  /// Sentences of a kind that is not read here.
  public var unknownSentences: UInt64 = 0
  /// Lines refused: checksum, length or content.
  public var errors: UInt64 = 0
  /// Epochs completed.
  public var epochs: UInt64 = 0
  /// Epochs that carried a position.
  public var fixes: UInt64 = 0

  /// Fields that were not what they must be, in sentences that were read all the same.
  public var flawedFields: UInt64 = 0
  /// Bytes between sentences that belong to none.
  public var strayBytes: UInt64 = 0
  /// Those of them that no text has: control characters but for those that lay it out.
  public var controlBytes: UInt64 = 0
  /// Reports of an epoch that was complete, or of a time before the last epoch.
  public var lateReports: UInt64 = 0
  /// Epochs that repeated the time of the one before.
  public var repeatedEpochs: UInt64 = 0
  /// Positions left out because the receiver was set to another datum than WGS 84.
  public var foreignDatumPositions: UInt64 = 0
  /// Measurements of weather instruments left out: values that do not exist outdoors, units of
  /// another quantity, and values that their instrument declares invalid.
  public var refusedMeasurements: UInt64 = 0

  /// Makes counters at zero.
  public init() {}

  /// Adds what another decoder has seen.
  public static func += (left: inout NMEACounters, right: NMEACounters) {
    let fields: [WritableKeyPath<NMEACounters, UInt64>] = [
      \.bytes, \.sentences, \.unknownSentences, \.errors, \.epochs, \.fixes, \.flawedFields,
      \.strayBytes, \.controlBytes, \.lateReports, \.repeatedEpochs, \.foreignDatumPositions,
      \.refusedMeasurements,
    ]
    for field in fields { left[keyPath: field] &+= right[keyPath: field] }
  }
}
