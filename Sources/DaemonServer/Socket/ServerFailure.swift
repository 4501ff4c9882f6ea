// SPDX-License-Identifier: Apache-2.0

/// Why the server cannot serve.
package enum ServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another daemon answers on the socket.
  case alreadyServed(path: String)
  /// Something else lies where the socket should.
  case notASocket(path: String)
  /// The path has more bytes than a socket's may.
  case pathTooLong(path: String, limitBytes: Int)
  /// The socket's folder cannot be had.
  case noFolder(path: String, folder: String, reason: String)
  /// The system refuses.
  case system(call: String, path: String, reason: String)

  /// The failure in a sentence, with what to do.
  package var description: String {
    switch self {
    case .alreadyServed(let path):
      "\(path): a daemon answers there already, see: fixcast status; stop that one first "
        + "(the service: sudo systemctl stop fixcast)"
    case .notASocket(let path):
      "\(path): is there and is no socket; move it away, or name another socket"
    case .pathTooLong(let path, let limitBytes):
      "\(path): the path of a socket has at most \(limitBytes) bytes; name a shorter one"
    case .noFolder(let path, let folder, let reason):
      "\(path): it cannot be made in \(folder): \(reason); make that folder, let the user that "
        + "fixcast runs as write there (or root run it: sudo fixcast run), or name another as "
        + "socket below [daemon]"
    case .system(let call, let path, let reason): "\(path): \(call): \(reason)"
    }
  }
}
