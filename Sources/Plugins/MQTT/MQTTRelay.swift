// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Glibc
internal import SystemSupport

/// Passes bytes between a broker and libmosquitto in small parts, so that the length of a packet can
/// be limited.
///
/// libmosquitto 2.0.11 reads a packet of up to 256 MB into memory before it calls back. Its socket is
/// therefore replaced by one end of a pair of sockets. The bytes are not interpreted, so TLS works, too.
final class MQTTRelay {
  /// The maximum number of bytes in a part.
  private static let partBytes = 16_384

  /// The other end of libmosquitto's socket.
  private let inner: Int32
  /// The socket of the broker.
  private let broker: Int32
  /// Bytes that the socket of the broker does not accept yet.
  private var output: ArraySlice<UInt8> = []
  /// The number of bytes from the broker since the last complete packet.
  private(set) var pendingBytes = 0

  /// Replaces a connected socket, which keeps its number.
  init(replacing socket: Int32) throws(SystemCallFailure) {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    var pair: [Int32] = [-1, -1]
    try SystemCall.run("socketpair") { socketpair(AF_UNIX, Int32(kind), 0, &pair) }
    defer { SystemCall.close(pair[1]) }
    do throws(SystemCallFailure) {
      broker = try SystemCall.run("fcntl") { fcntl(socket, F_DUPFD_CLOEXEC, 0) }
      inner = pair[0]
    } catch {
      SystemCall.close(pair[0])
      throw error
    }
    let other = pair[1]
    try SystemCall.run("dup3") { fixcast_mosquitto_replace_socket(socket, other) }
  }

  deinit {
    SystemCall.close(inner)
    SystemCall.close(broker)
  }

  /// The events to wait for: those of the broker, and what libmosquitto writes.
  var interests: [pollfd] {
    let isFree = output.isEmpty
    return [
      pollfd(fd: broker, events: Int16(isFree ? POLLIN : POLLIN | POLLOUT), revents: 0),
      pollfd(fd: isFree ? inner : -1, events: Int16(POLLIN), revents: 0),
    ]
  }

  /// Notes that libmosquitto has processed a packet.
  func packetIsComplete() { pendingBytes = 0 }

  /// Passes what libmosquitto has written to the broker, as far as its socket accepts it.
  ///
  /// Drops bytes that a closed connection does not accept: the broker may have sent a reason before.
  func passOutput() {
    while true {
      if output.isEmpty {
        var bytes = [UInt8](repeating: 0, count: Self.partBytes)
        let count = recv(inner, &bytes, bytes.count, 0)
        output = bytes.prefix(max(count, 0))
      }
      guard !output.isEmpty else { return }
      let count = output.withUnsafeBytes {
        send(broker, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      output = count < 0 ? [] : output.dropFirst(count)
    }
  }

  /// Passes the next part, or the end, from the broker to libmosquitto, which has read the last part.
  func passInput() throws(SystemCallFailure) {
    var bytes = [UInt8](repeating: 0, count: Self.partBytes)
    let count = recv(broker, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else {
      // libmosquitto treats a reset like the end.
      guard count == 0 || errno == ECONNRESET else {
        throw SystemCallFailure(call: "recv", number: errno)
      }
      shutdown(inner, Int32(SHUT_WR))
      return
    }
    pendingBytes += count
    // The empty buffer of the pair is larger than a part.
    let sent = send(inner, bytes, count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    guard sent == count else {
      throw SystemCallFailure(call: "send", number: sent < 0 ? errno : ENOBUFS)
    }
  }
}
