// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The failure of a run of a source, with the category that determines the reaction.
struct SourceFailure: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The source cannot be opened.
    case unreachable
    /// The receiver was disconnected.
    case gone
    /// Reading from an open port failed.
    case broken
    /// The receiver sends an unsupported protocol.
    case incompatible
    /// The port sent no valid sentences.
    case noValidSentences
    /// The port is already open under another name.
    case duplicate
  }

  var kind: Kind
  /// The error and its remedy in one line.
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
      case .noReceiver: .noValidSentences
      case nil: .unreachable
      }
    self.init(kind, "\(error)")
  }

  /// The reason reported to the consumer of the fixes.
  var lossReason: SourceLoss.Reason {
    switch kind {
    case .unreachable, .duplicate: .unreachable
    case .gone: .deactivated
    case .broken: .disconnected
    case .incompatible: .incompatible
    case .noValidSentences: .silent
    }
  }
}
