// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol

/// An error in a request to the daemon.
public enum DaemonClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No process is listening on the socket.
  case noDaemon(path: String)
  /// This user may not open the socket or its directory.
  ///
  /// A daemon may be running, so programs must not open the receiver directly.
  case notPermitted(path: String)
  /// The daemon refuses the connection or the request because of a limit.
  case refused(DaemonFault)
  /// This program is not authorized, or its authorization is not determined.
  case notAuthorized(DaemonFault)
  /// No position was received in time.
  case noFix(DaemonFault)
  /// The daemon rejects the request as invalid.
  case rejected(DaemonFault)
  /// The response is not valid in this version of the protocol.
  case unreadable(DaemonDecodingError)
  /// The connection failed or was closed.
  case disconnected(String)
  /// The daemon did not respond in time, for example because it hangs or is stopped.
  case silent

  init(_ fault: DaemonFault) {
    switch fault.status {
    case 403: self = .notAuthorized(fault)
    case 429, 503: self = .refused(fault)
    case 504: self = .noFix(fault)
    default: self = .rejected(fault)
    }
  }

  /// Whether the error means that a daemon may be running, but this program cannot use it.
  var isUnusable: Bool {
    switch self {
    case .notPermitted, .unreadable: true
    case .noDaemon, .refused, .notAuthorized, .noFix, .rejected, .disconnected, .silent: false
    }
  }

  /// Whether the daemon rejected the request as invalid.
  var isRejection: Bool { if case .rejected = self { true } else { false } }

  /// The error and its correction in a sentence.
  public var description: String {
    switch self {
    case .noDaemon(let path):
      "\(path): no daemon is listening on this socket; start it with: sudo systemctl start fixcast"
    case .notPermitted(let path):
      "\(path): this user may not open the daemon's socket; allow it to enter the directory, "
        + "or run as another user"
    case .refused(let fault), .notAuthorized(let fault), .noFix(let fault), .rejected(let fault):
      "\(fault)"
    case .unreadable(let error): "\(error)"
    case .disconnected(let reason): "the connection to the daemon failed: \(reason)"
    case .silent:
      "the daemon does not respond; check it with: systemctl status fixcast; "
        + "restart it with: sudo systemctl restart fixcast"
    }
  }
}
