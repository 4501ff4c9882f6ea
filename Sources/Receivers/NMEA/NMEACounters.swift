// SPDX-License-Identifier: Apache-2.0

/// Event counts of a decoder.
///
/// Every byte and every line is counted.
public struct NMEACounters: Equatable, Sendable {
  /// Bytes read.
  public var bytes: UInt64 = 0
  /// Accepted sentences, including sentences of unsupported types.
  public var sentences: UInt64 = 0
  /// Sentences of unsupported types.
  public var unknownSentences: UInt64 = 0
  /// Accepted sentences without a checksum; none unless the decoder allows a missing checksum.
  public var uncheckedSentences: UInt64 = 0
  /// Sentences with a right checksum, or an allowed missing one, that were refused because of their
  /// content.
  public var refusedSentences: UInt64 = 0
  /// The refused sentences without a checksum.
  package var refusedUncheckedSentences: UInt64 = 0
  /// Lines with a wrong checksum.
  public var wrongChecksums: UInt64 = 0
  /// Lines that begin like a sentence, have no checksum and were not accepted.
  public var linesWithoutChecksum: UInt64 = 0
  /// Lines that are too long, or that a `$` or the end of the input interrupted.
  public var cutLines: UInt64 = 0
  /// Other lines that begin with `$` or `!`, such as text.
  public var otherLines: UInt64 = 0
  /// The address, field and reason of the first refused sentence; `nil` if no sentence was refused.
  public var firstRefused: String?
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
  /// The format of the bytes of a serial port; `nil` for 8 data bits without parity.
  package var dataFormat: DataFormat?
  /// The baud rates that were tried without success.
  package var trials = BaudRateTrials()

  /// Lines that were not accepted.
  public var errors: UInt64 {
    refusedSentences &+ wrongChecksums &+ linesWithoutChecksum &+ cutLines &+ otherLines
  }

  /// Sentences that show that the baud rate is right: accepted, or refused with a right checksum.
  package var readableSentences: UInt64 {
    sentences &+ (refusedSentences &- refusedUncheckedSentences)
  }

  /// Makes counters at zero.
  public init() {}

  /// Adds the counts of another decoder.
  public static func += (left: inout NMEACounters, right: NMEACounters) {
    let fields: [WritableKeyPath<NMEACounters, UInt64>] = [
      \.bytes, \.sentences, \.unknownSentences, \.uncheckedSentences, \.refusedSentences,
      \.refusedUncheckedSentences,
      \.wrongChecksums, \.linesWithoutChecksum, \.cutLines, \.otherLines, \.epochs, \.fixes,
      \.flawedFields, \.strayBytes, \.controlBytes, \.lateReports, \.repeatedEpochs,
      \.foreignDatumPositions,
      \.droppedMeasurements,
    ]
    for field in fields { left[keyPath: field] &+= right[keyPath: field] }
    left.firstRefused = left.firstRefused ?? right.firstRefused
    left.dataFormat = left.dataFormat ?? right.dataFormat
    // The trials of several ports cannot be added up; each port's own counters have its trials.
  }
}
