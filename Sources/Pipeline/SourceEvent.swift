// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A change of a source's state: the source is connected, has found a receiver, or is lost; or a
/// statement of a receiver about itself.
public enum SourceEvent: PipelineEvent, Equatable {
  /// The source is connected to its server.
  case connected(SourceServer)
  /// A receiver was found, or more details about a receiver are known.
  case receiver(ReceiverInfo)
  /// A statement of the named receiver about itself, such as the state of its antenna.
  case message(ReceiverMessage, source: String)
  /// A receiver of the named source, or the whole source, no longer delivers data.
  case lost(SourceLoss, source: String)

  /// The server's address, the receiver's name, or, if the whole source is lost, the source's name.
  public var subject: String? {
    switch self {
    case .connected(let server): server.address
    case .receiver(let receiver): receiver.name
    case .message(_, let source): source
    case .lost(let loss, let source): loss.receiver ?? source
    }
  }

  /// Whether the event is a loss, or a fault that a receiver states.
  public var isAlert: Bool { error != nil }

  /// The loss, or the new fault that a receiver states, as an error event; otherwise `nil`.
  public var error: ErrorEvent? {
    if case .message(let message, let source) = self {
      guard message.isFault, !message.isRepeated else { return nil }
      let advice = message.advice.map { "; \($0)" } ?? ""
      return ErrorEvent(source: source, message: "\(message)\(advice)")
    }
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
