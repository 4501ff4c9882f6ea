// SPDX-License-Identifier: Apache-2.0

/// That nothing comes any more, and why.
public struct SourceLoss: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// Why nothing comes.
  public enum Reason: String, Hashable, Sendable {
    /// The server cannot be reached.
    case unreachable
    /// The server has ended the connection, or the connection broke.
    case disconnected
    /// The connection holds and the receiver has said nothing for too long.
    case silent
    /// The server has given the receiver up: it was unplugged or taken away.
    case deactivated
    /// What answers is no server of the kind, or of a version that cannot be read.
    case incompatible
  }

  /// Why nothing comes.
  public var reason: Reason
  /// The receiver that is lost; `nil` where it is all that the source had.
  public var receiver: String?
  /// More about the reason, in words for a log.
  public var detail: String?
  /// Since when nothing can be relied on, on the monotonic clock: when it was noticed.
  public var at: MonotonicTime?

  /// Makes a loss.
  ///
  /// - Parameters:
  ///   - reason: Why nothing comes.
  ///   - receiver: The receiver that is lost; `nil` where it is all that the source had.
  ///   - detail: More about the reason.
  ///   - at: When it was noticed.
  public init(
    _ reason: Reason, receiver: String? = nil, detail: String? = nil, at: MonotonicTime? = nil
  ) {
    self.reason = reason
    self.receiver = receiver
    self.detail = detail
    self.at = at
  }

  /// The loss in one line, without whose it is.
  public var description: String {
    let text =
      switch reason {
      case .unreachable: "cannot be reached"
      case .disconnected: "the connection is lost"
      case .silent: "nothing comes from the receiver"
      case .deactivated: "the receiver is gone"
      case .incompatible: "what answers there cannot be read"
      }
    return detail.map { "\(text): \($0)" } ?? text
  }
}
