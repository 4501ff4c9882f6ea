// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The loss of a source as an `ERROR` object.
///
/// The field `reason` is a `SourceLoss.Reason`. `device` is the lost receiver; it is missing if the
/// whole source is lost. `detail` adds details to the reason. `message` is the complete text for
/// users.
public struct SourceLossObject: Equatable, Sendable {
  /// The value of the field `error`.
  static let errorName = "sourceLost"

  /// The loss and its reason.
  public var loss: SourceLoss
  /// The name of the source.
  public var source: String

  /// Creates an object for a loss.
  public init(_ loss: SourceLoss, source: String) {
    self.loss = loss
    self.source = source
  }

  /// The object as JSON, with a newline.
  public var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "ERROR")
    line.string("error", Self.errorName)
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
