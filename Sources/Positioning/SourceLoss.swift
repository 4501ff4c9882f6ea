// SPDX-License-Identifier: Apache-2.0

/// The loss of a source or of one of its receivers.
public struct SourceLoss: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// The reason for a loss.
  public enum Reason: String, Hashable, Sendable {
    /// The server cannot be reached.
    case unreachable
    /// The server closed the connection, or the connection failed.
    case disconnected
    /// The connection is open, but the receiver has sent nothing for too long.
    case silent
    /// The server has released the receiver, because it was unplugged or removed.
    case deactivated
    /// The server is of another kind, or of an unsupported version.
    case incompatible
  }

  /// The reason for the loss.
  public var reason: Reason
  /// The name of the lost receiver; `nil` if the whole source is lost.
  public var receiver: String?
  /// Details about the reason, for a log.
  public var detail: String?
  /// The time at which the loss was detected.
  public var at: MonotonicTime?

  /// Makes a loss.
  public init(
    _ reason: Reason, receiver: String? = nil, detail: String? = nil, at: MonotonicTime? = nil
  ) {
    self.reason = reason
    self.receiver = receiver
    self.detail = detail
    self.at = at
  }

  /// The loss as one line, without the name of the receiver.
  public var description: String {
    let text =
      switch reason {
      case .unreachable: "cannot be reached"
      case .disconnected: "the connection is lost"
      // The detail says more precisely what is missing: data, sentences or fixes.
      case .silent where detail != nil: ""
      case .silent: "the receiver sends nothing"
      case .deactivated: "the receiver is gone"
      case .incompatible: "the server is incompatible"
      }
    return [text, detail ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}
