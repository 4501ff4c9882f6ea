// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// What a source says of itself: whom it reads from, what it reads, and that nothing comes.
public enum SourceEvent: PipelineEvent, Equatable {
  /// It has reached the server that it reads from.
  case connected(SourceServer)
  /// There is a receiver, or more is known of it than before.
  case receiver(ReceiverInfo)
  /// Nothing comes any more, from one receiver or from the whole source of that name.
  case lost(SourceLoss, source: String)

  /// The server, the receiver, or the source where it is lost as a whole.
  public var subject: String? {
    switch self {
    case .connected(let server): server.address
    case .receiver(let receiver): receiver.name
    case .lost(let loss, let source): loss.receiver ?? source
    }
  }

  /// Whether nothing comes any more.
  public var isAlert: Bool { if case .lost = self { true } else { false } }

  /// The event as a failure to be told, where it is one.
  public var error: ErrorEvent? {
    guard case .lost(let loss, let source) = self else { return nil }
    let name = loss.receiver ?? source
    var told = loss
    // The error of a port begins with its devnode, which stands before the message already.
    let prefix = "\(name): "
    if let detail = loss.detail, detail.hasPrefix(prefix) {
      told.detail = String(detail.dropFirst(prefix.count))
    }
    return ErrorEvent(source: name, message: told.description)
  }
}
