// SPDX-License-Identifier: Apache-2.0

public import DaemonInterface

/// Why the daemon was not spoken to, or did not do what was asked.
public enum DaemonClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody answers on the socket.
  case noDaemon(path: String)
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
  /// The connection broke, or no answer came.
  case disconnected(String)

  init(_ fault: DaemonFault) {
    switch fault.status {
    case 403: self = .notAuthorized(fault)
    case 429, 503: self = .refused(fault)
    case 504: self = .noFix(fault)
    default: self = .rejected(fault)
    }
  }

  /// The error in a sentence, with what to do.
  public var description: String {
    switch self {
    case .noDaemon(let path): "\(path): no daemon answers there; start one with: fixcast run"
    case .refused(let fault), .notAuthorized(let fault), .noFix(let fault), .rejected(let fault):
      "\(fault)"
    case .unreadable(let what): "\(what)"
    case .disconnected(let reason): "the daemon: \(reason)"
    }
  }
}
