// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A change of a source's state: the source is connected, has found a receiver, or is lost.
public enum SourceEvent: PipelineEvent, Equatable {
  /// The source is connected to its server.
  case connected(SourceServer)
  /// A receiver was found, or more details about a receiver are known.
  case receiver(ReceiverInfo)
  /// A receiver of the named source, or the whole source, no longer delivers data.
  case lost(SourceLoss, source: String)

  /// The server's address, the receiver's name, or, if the whole source is lost, the source's name.
  public var subject: String? {
    switch self {
    case .connected(let server): server.address
    case .receiver(let receiver): receiver.name
    case .lost(let loss, let source): loss.receiver ?? source
    }
  }

  /// Whether the event is a loss.
  public var isAlert: Bool { if case .lost = self { true } else { false } }

  /// The loss as an error event; `nil` for the other events.
  public var error: ErrorEvent? {
    guard case .lost(let loss, let source) = self else { return nil }
    let name = loss.receiver ?? source
    var shortLoss = loss
    // The detail of a serial port's error begins with its device path, which the message already
    // contains.
    let prefix = "\(name): "
    if let detail = loss.detail, detail.hasPrefix(prefix) {
      shortLoss.detail = String(detail.dropFirst(prefix.count))
    }
    return ErrorEvent(source: name, message: shortLoss.description)
  }
}
