// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol

/// Why the daemon was not spoken to, or did not do what was asked.
public enum DaemonClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody answers on the socket.
  case noDaemon(path: String)
  /// There is a socket, or a folder for it, that this user may not open: nothing is known of who
  /// listens there, and nobody may act in the place of a daemon.
  case notPermitted(path: String)
  /// The daemon serves nobody more at present.
  case refused(DaemonFault)
  /// This program may not know where the board is, or nobody has decided.
  case notAuthorized(DaemonFault)
  /// There was no position in time.
  case noFix(DaemonFault)
  /// The daemon does not take the request.
  case rejected(DaemonFault)
  /// What answers is no daemon of this version.
  case unreadable(DaemonUnreadable)
  /// The connection broke.
  case disconnected(String)
  /// Somebody has the daemon's place and says nothing: it hangs, or is stopped.
  case silent

  init(_ fault: DaemonFault) {
    switch fault.status {
    case 403: self = .notAuthorized(fault)
    case 429, 503: self = .refused(fault)
    case 504: self = .noFix(fault)
    default: self = .rejected(fault)
    }
  }

  /// Whether it says that this program gets nothing from a daemon that may well be there.
  var isBarrier: Bool {
    switch self {
    case .notPermitted, .unreadable: true
    case .noDaemon, .refused, .notAuthorized, .noFix, .rejected, .disconnected, .silent: false
    }
  }

  /// Whether the daemon answers that it does not take what the program says.
  var isRejection: Bool { if case .rejected = self { true } else { false } }

  /// The error in a sentence, with what to do.
  public var description: String {
    switch self {
    case .noDaemon(let path): "\(path): no daemon answers there; start one with: fixcast run"
    case .notPermitted(let path):
      "\(path): this user may not open the daemon's socket, and is told nothing; let it enter the "
        + "folder, or run as a user who may"
    case .refused(let fault), .notAuthorized(let fault), .noFix(let fault), .rejected(let fault):
      "\(fault)"
    case .unreadable(let what): "\(what)"
    case .disconnected(let reason): "the daemon: \(reason)"
    case .silent:
      "the daemon is there and says nothing: it hangs or is stopped; see how it is with: "
        + "systemctl status fixcast, and start it anew with: sudo systemctl restart fixcast"
    }
  }
}
