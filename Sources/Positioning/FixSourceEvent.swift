// SPDX-License-Identifier: Apache-2.0

/// What a source has to say.
public enum FixSourceEvent: Equatable, Sendable {
  /// An epoch is complete. Mode ``FixMode/none`` included: the receiver lives and has no position.
  case fix(Fix)
  /// The sky of an epoch is complete.
  case sky(SkyView)
  /// Instruments on the receiver's wire have measured the weather.
  case instruments(InstrumentReading)
  /// The source has reached the server that it reads from; no fix has come from it yet.
  case connected(SourceServer)
  /// There is a receiver, or more is known of it than before.
  case receiver(ReceiverInfo)
  /// Nothing comes any more. What was delivered before is old from now on; the source looks for
  /// more by itself and says so with the next fix.
  case lost(SourceLoss)
}
