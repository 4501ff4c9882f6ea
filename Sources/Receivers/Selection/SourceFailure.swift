// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Why a run of a source has failed, as far as it matters to what is done next.
struct SourceFailure: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// It could not be opened, or was refused.
    case unreachable
    /// It was there, and is gone.
    case gone
    /// It was there and broke.
    case broken
    /// It speaks, and not in a way that is read here.
    case incompatible
    /// It has not shown that it is a receiver.
    case notYetHealthy
    /// It is read already, under another name.
    case duplicate
  }

  var kind: Kind
  /// The error in one line: what, where, and what to do.
  var text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  init(_ error: any Error) {
    let kind: Kind =
      switch (error as? SerialError)?.kind {
      case .open, .busy, .configure, .speed, .resources: .unreachable
      case .read: .broken
      case .hangUp: .gone
      case .binaryOnly: .incompatible
      case .noReceiver: .notYetHealthy
      case nil: .unreachable
      }
    self.init(kind, "\(error)")
  }

  /// The reason in the words of whoever takes the fixes.
  var lossReason: SourceLoss.Reason {
    switch kind {
    case .unreachable, .duplicate: .unreachable
    case .gone: .deactivated
    case .broken: .disconnected
    case .incompatible: .incompatible
    case .notYetHealthy: .silent
    }
  }
}
