// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A change of a source: connected, receiver found, or lost.
public enum SourceEvent: PipelineEvent, Equatable {
  /// The source is connected to its server.
  case connected(SourceServer)
  /// A receiver was found, or more is known about it.
  case receiver(ReceiverInfo)
  /// A receiver, or the whole source of that name, delivers no more data.
  case lost(SourceLoss, source: String)

  /// The server's address, the receiver's name, or the source's name if it is lost as a whole.
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
    var report = loss
    // The error of a port begins with its devnode, which the message already contains.
    let prefix = "\(name): "
    if let detail = loss.detail, detail.hasPrefix(prefix) {
      report.detail = String(detail.dropFirst(prefix.count))
    }
    return ErrorEvent(source: name, message: report.description)
  }
}
