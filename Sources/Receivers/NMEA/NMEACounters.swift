// SPDX-License-Identifier: Apache-2.0

/// Event counts of a decoder.
///
/// Every byte and every line is counted.
public struct NMEACounters: Equatable, Sendable {
  /// Bytes read.
  public var bytes: UInt64 = 0
  /// Sentences with a valid checksum, including sentences of unsupported types.
  public var sentences: UInt64 = 0
  /// Sentences of unsupported types.
  public var unknownSentences: UInt64 = 0
  /// Lines rejected because of their checksum, length or content.
  public var errors: UInt64 = 0
  /// Epochs completed.
  public var epochs: UInt64 = 0
  /// Epochs that carried a position.
  public var fixes: UInt64 = 0

  /// Invalid fields in sentences that were otherwise accepted.
  public var flawedFields: UInt64 = 0
  /// Bytes outside of sentences.
  public var strayBytes: UInt64 = 0
  /// Stray bytes that are control characters other than whitespace, as in binary data.
  public var controlBytes: UInt64 = 0
  /// Reports for an epoch that was already complete, or older than the last epoch.
  public var lateReports: UInt64 = 0
  /// Epochs with the same time as the previous epoch.
  public var repeatedEpochs: UInt64 = 0
  /// Positions dropped because the receiver uses a datum other than WGS 84.
  public var foreignDatumPositions: UInt64 = 0
  /// Measurements of weather instruments dropped because the value does not occur outdoors, the
  /// unit belongs to another quantity, or the instrument declared the value invalid.
  public var droppedMeasurements: UInt64 = 0
  /// The baud rates that were tried without success.
  package var trials = BaudRateTrials()

  /// Makes counters at zero.
  public init() {}

  /// Adds the counts of another decoder.
  public static func += (left: inout NMEACounters, right: NMEACounters) {
    let fields: [WritableKeyPath<NMEACounters, UInt64>] = [
      \.bytes, \.sentences, \.unknownSentences, \.errors, \.epochs, \.fixes, \.flawedFields,
      \.strayBytes, \.controlBytes, \.lateReports, \.repeatedEpochs, \.foreignDatumPositions,
      \.droppedMeasurements,
    ]
    for field in fields { left[keyPath: field] &+= right[keyPath: field] }
    // The trials of several ports cannot be added up; each port's own counters have its trials.
  }
}
