// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The failure of a run of a source.
struct SourceFailure: Equatable, Sendable {
  /// The reason reported to the consumer of the fixes.
  ///
  /// ``SourceLoss/Reason/silent`` if the port sent no valid sentences; this has its own back-off.
  var reason: SourceLoss.Reason
  /// The error and its remedy in one line.
  var text: String
  /// Whether the port is already open under another name.
  var isDuplicate = false

  init(_ reason: SourceLoss.Reason, _ text: String, isDuplicate: Bool = false) {
    (self.reason, self.text, self.isDuplicate) = (reason, text, isDuplicate)
  }

  init(_ error: any Error) {
    let reason: SourceLoss.Reason =
      switch (error as? SerialError)?.kind {
      case .open, .busy, .configure, .speed, .resources, nil: .unreachable
      case .read: .disconnected
      case .hangUp: .deactivated
      case .binaryOnly: .incompatible
      case .noReceiver: .silent
      }
    self.init(reason, "\(error)")
  }
}
