// SPDX-License-Identifier: Apache-2.0

internal import DaemonInterface
internal import Glibc

/// The file of the socket: whoever may connect is decided by the policy and not by its mode.
struct SocketFile: Sendable {
  let path: String

  /// Makes room: the folder is there, and what a daemon left that is gone is not.
  func prepare() throws(BrokerFailure) {
    guard path.utf8.count <= DaemonAddress.mostPathBytes else {
      throw .pathTooLong(path: path, limitBytes: DaemonAddress.mostPathBytes)
    }
    var status = stat()
    // Before the folder, which is another user's where the service runs.
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, isAnswered() {
      throw .alreadyServed(path: path)
    }
    if let end = path.lastIndex(of: "/"), end > path.startIndex {
      let folder = String(path[..<end])
      if mkdir(folder, 0o755) == 0 {
        // Whatever the umask: everybody has to reach the socket.
        chmod(folder, 0o755)
      } else if errno != EEXIST {
        throw noFolder(folder, errno)
      }
      guard stat(folder, &status) == 0 else { throw noFolder(folder, errno) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw noFolder(folder, ENOTDIR) }
      guard access(folder, W_OK | X_OK) == 0 else { throw noFolder(folder, errno) }
    }
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink") }
  }

  /// Lets everybody connect.
  func open() throws(BrokerFailure) {
    guard chmod(path, 0o666) == 0 else { throw failure("chmod") }
  }

  func remove() { unlink(path) }

  /// Whether somebody listens, though their queue be full.
  private func isAnswered() -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    return result == 0 || errno != ECONNREFUSED
  }

  private func noFolder(_ folder: String, _ number: Int32) -> BrokerFailure {
    .noFolder(path: path, folder: folder, reason: String(cString: strerror(number)))
  }

  private func failure(_ call: String) -> BrokerFailure {
    .system(call: call, path: path, reason: String(cString: strerror(errno)))
  }
}
