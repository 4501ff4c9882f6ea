// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import DaemonProtocol
internal import Glibc

/// The file of the listening socket.
///
/// The file's mode allows every user to connect. The policy decides which data a client receives.
struct SocketFile: Sendable {
  /// Maximum number of connections that wait in the kernel.
  ///
  /// Equals the default of net.core.somaxconn.
  private static let backlog: Int32 = 4096

  let path: String

  /// Creates the socket and listens on it, without accepting connections.
  ///
  /// Until ``open()`` is called, only root and the daemon's own user can connect, so that a second
  /// daemon can detect that this one is running. Their connections wait in the kernel.
  func claim() throws(ServerFailure) -> Int32 {
    try prepare()
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw failure("socket") }
    do throws(ServerFailure) {
      guard withAddress({ bind(descriptor, $0, $1) }) == 0 else { throw failure("bind") }
      // Set the mode before listen(2). Until then, no process can connect, whatever the mode is.
      guard chmod(path, 0o600) == 0 else { throw failure("chmod") }
      guard listen(descriptor, Self.backlog) == 0 else { throw failure("listen") }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Creates the directory, and removes the socket of a daemon that is no longer running.
  func prepare() throws(ServerFailure) {
    guard path.utf8.count <= DaemonAddress.maxPathBytes else {
      throw .pathTooLong(path: path, limitBytes: DaemonAddress.maxPathBytes)
    }
    var status = stat()
    // Look for another daemon before checking the directory: the service's directory belongs to
    // another user, and a second daemon should report the running service, not that directory.
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, isListening() {
      throw .alreadyServed(path: path)
    }
    if let end = path.lastIndex(of: "/"), end > path.startIndex {
      let folder = String(path[..<end])
      if mkdir(folder, 0o755) == 0 {
        // Set the mode explicitly, because mkdir(2) applies the umask and all users need to access
        // the socket.
        chmod(folder, 0o755)
      } else if errno != EEXIST {
        throw unusableFolder(folder, errno)
      }
      guard stat(folder, &status) == 0 else { throw unusableFolder(folder, errno) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw unusableFolder(folder, ENOTDIR) }
      guard access(folder, W_OK | X_OK) == 0 else { throw unusableFolder(folder, errno) }
    }
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink") }
  }

  /// Allows all users to connect.
  func open() throws(ServerFailure) {
    guard chmod(path, 0o666) == 0 else { throw failure("chmod") }
  }

  func remove() { unlink(path) }

  /// Whether a process is listening on the socket, even if the socket's queue is full.
  private func isListening() -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    return withAddress { connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
  }

  /// Calls `body` with the socket's address.
  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
  }

  private func unusableFolder(_ folder: String, _ number: Int32) -> ServerFailure {
    .unusableFolder(path: path, folder: folder, reason: String(cString: strerror(number)))
  }

  private func failure(_ call: String) -> ServerFailure {
    .system(call: call, path: path, reason: String(cString: strerror(errno)))
  }
}
