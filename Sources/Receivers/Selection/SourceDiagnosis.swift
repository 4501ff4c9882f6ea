// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The status of a group of sources.
public struct SourceDiagnosis: Equatable, Sendable {
  /// Whether a receiver, or a gpsd that was specified by name, has been present.
  public var hadReceiver = false
  /// The number of restarts of sources after failures.
  public var restartCount: UInt64 = 0
  /// The number of events dropped because the consumer was slow.
  public var droppedEventCount: UInt64 = 0
  /// The reasons for missing fixes, one line each, with the remedy.
  public var notices: [String] = []

  /// The reason why an open source has no position; `nil` if a source has one or none is open.
  package var noFix: NoFixExplanation?

  /// The newest statements of the receivers about themselves, such as the state of the antenna.
  public var messages: [ReceiverMessage] = []

  /// All notices in one line; `nil` if there are none.
  public var summary: String? {
    let parts = notices.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Makes a status without a receiver.
  public init() {}

  /// The status of a source that needs no receiver, such as a recording.
  public static var withReceiver: SourceDiagnosis {
    var diagnosis = SourceDiagnosis()
    diagnosis.hadReceiver = true
    return diagnosis
  }
}
