// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore
internal import NIOPosix

/// `struct ucred` of unix(7): who the other end was when it connected.
struct PeerCredentials: Sendable {
  var process: Int32 = 0
  var userID: UInt32 = .max
  var groupID: UInt32 = .max

  /// Whether the kernel has said it; for anything but a Unix socket it does not.
  var isKnown: Bool { process > 0 && userID != .max }

  private static let credentials = NIOBSDSocket.Option(rawValue: SO_PEERCRED)
  /// `SO_PEERPIDFD`, since Linux 6.5; older headers do not have it.
  private static let descriptor = NIOBSDSocket.Option(rawValue: 77)

  /// Asks the kernel.
  static func read(of channel: any Channel) -> EventLoopFuture<PeerCredentials> {
    guard let options = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(PeerCredentials())
    }
    return options.unsafeGetSocketOption(level: .socket, name: credentials)
  }

  /// Gives `body` the kernel's hold of the process itself, which ends with it; below zero where the
  /// process is gone, `nil` where the kernel has none to give.
  static func withProcess<Value: Sendable>(
    of channel: any Channel, _ body: @escaping @Sendable (Int32?) -> Value
  ) -> EventLoopFuture<Value> {
    guard let options = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeSucceededFuture(body(nil))
    }
    let asked: EventLoopFuture<Int32> = options.unsafeGetSocketOption(
      level: .socket, name: descriptor)
    return asked.map { held in
      defer { close(held) }
      return body(held)
    }.flatMapErrorThrowing { error in
      let isUnsupported =
        (error as? IOError).map { [ENOPROTOOPT, EOPNOTSUPP].contains($0.errnoCode) } ?? false
      return body(isUnsupported ? nil : -1)
    }
  }
}
