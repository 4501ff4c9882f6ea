// SPDX-License-Identifier: Apache-2.0

/// An event of a source.
public enum FixSourceEvent: Equatable, Sendable {
  /// The fix of a completed epoch; its mode is ``FixMode/none`` if the receiver has no position.
  case fix(Fix)
  /// The sky of a completed epoch.
  case sky(SkyView)
  /// A weather reading from instruments on the receiver's line.
  case instruments(InstrumentReading)
  /// The sentences of an epoch, as received and with valid checksums, just before its fix.
  ///
  /// Sent only if the daemon has a client that reads them.
  case sentences([UInt8], source: String)
  /// The source has connected to its server, such as gpsd, and has not delivered a fix yet.
  case connected(SourceServer)
  /// The source has found a receiver, or has more information about a known receiver.
  case receiver(ReceiverInfo)
  /// A statement of a receiver about itself, such as the state of its antenna.
  case message(ReceiverMessage)
  /// The source no longer receives data, and earlier values are stale.
  ///
  /// The source retries by itself; the next fix shows that the source has recovered.
  case lost(SourceLoss)
}
