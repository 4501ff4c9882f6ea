// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// That nothing comes any more, as it is sent: an `ERROR` object of its own kind.
///
/// `reason` is a `SourceLoss.Reason`; `device` is the receiver, and missing where it is all that the
/// source had; `detail` says more about the reason, and `message` all of it for people.
public struct ServedLoss: Equatable, Sendable {
  /// What it says in `error`.
  static let word = "sourceLost"

  /// What is lost, and why.
  public var loss: SourceLoss
  /// The source that lost it.
  public var source: String

  /// Makes it.
  public init(_ loss: SourceLoss, source: String) {
    self.loss = loss
    self.source = source
  }

  /// The object as it is sent, a line.
  public var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "ERROR")
    line.string("error", Self.word)
    line.string("message", loss.description)
    line.string("source", loss.receiver ?? source)
    line.string("reason", loss.reason.rawValue)
    line.string("device", loss.receiver)
    line.string("detail", loss.detail)
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
