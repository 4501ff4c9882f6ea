// SPDX-License-Identifier: Apache-2.0

/// An error that prevents the server from listening on its socket.
package enum ServerFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another daemon is listening on the socket.
  case alreadyServed(path: String)
  /// A file that is not a socket exists at the path.
  case notASocket(path: String)
  /// The path is too long for a Unix socket.
  case pathTooLong(path: String, limitBytes: Int)
  /// The socket's directory cannot be created or written to.
  case unusableFolder(path: String, folder: String, reason: String)
  /// A system call failed.
  case system(call: String, path: String, reason: String)

  package var description: String {
    switch self {
    case .alreadyServed(let path):
      "\(path): another daemon is already running, see: fixcast status; stop it first "
        + "(the service: sudo systemctl stop fixcast)"
    case .notASocket(let path):
      "\(path): the file exists and is not a socket; move it away, or set another socket"
    case .pathTooLong(let path, let limitBytes):
      "\(path): a socket's path has at most \(limitBytes) bytes; set a shorter one"
    case .unusableFolder(let path, let folder, let reason):
      "\(path): cannot create the socket in \(folder): \(reason); create that directory, let the "
        + "user that fixcast runs as write there (or run it as root: sudo fixcast run), or set "
        + "another socket below [daemon]"
    case .system(let call, let path, let reason): "\(path): \(call): \(reason)"
    }
  }
}
