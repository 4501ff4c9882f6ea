// SPDX-License-Identifier: Apache-2.0

public import Pipeline

/// The weather that instruments on receivers' wires have measured so far.
public struct InstrumentEvent: PipelineEvent, Equatable {
  /// The newest value of each quantity: the newest event stands for all before it.
  public var readings: InstrumentReadings

  /// Makes an event.
  ///
  /// - Parameter readings: The newest value of each quantity.
  public init(_ readings: InstrumentReadings) { self.readings = readings }
}
