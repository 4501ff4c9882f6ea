// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import NIOCore
internal import NIOPosix
internal import Positioning

/// Creates the channels of feeds, and passes their clients to the shell.
struct FeedConnections: Sendable {
  let shell: ServerShell
  let limits: ServerLimits
  let evidence: ProcessEvidence
  let now: @Sendable () -> MonotonicTime
  let utcNow: @Sendable () -> UTCTime?

  /// Creates a server that listens nowhere yet.
  func server(
    _ feed: FeedProtocol, groups: ControlGroupTree, report: @escaping @Sendable (String) -> Void
  ) -> FeedServer {
    FeedServer(
      feed.rawValue, limits: limits, groups: groups,
      makeAcceptor: { [shell, limits, now] socket, identify in
        SocketAcceptor(
          socket, loop: shell.loop, limits: limits,
          isExempt: { [ownUser = geteuid()] in ConnectionTable.isExempt($0, ownUser: ownUser) },
          refusal: [], identify: identify, now: now)
      },
      admit: { admit($0, feed) },
      counts: { [shell] in shell.feedCounts(feed) }, now: now, report: report)
  }

  /// Creates the channel of an accepted socket.
  ///
  /// Must be called on the event loop.
  private func admit(_ accepted: SocketAcceptor.Accepted, _ feed: FeedProtocol) {
    _ = ClientBootstrap(group: shell.loop)
      .channelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(limits.socketBytes))
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(.autoRead, value: false)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try initialize(channel, accepted, feed) }
      }
      .withConnectedSocket(accepted.socket)
  }

  /// Sets up the channel's handler; an error closes the connection.
  private func initialize(
    _ channel: any Channel, _ accepted: SocketAcceptor.Accepted, _ feed: FeedProtocol
  ) throws {
    let ofProcess = accepted.peer.flatMap {
      evidence.peer(process: $0.process, user: $0.userID, descriptor: accepted.process.descriptor)
    }
    guard let client = accepted.identified ?? ofProcess else { throw ChannelError.eof }
    let owner = ConnectionOwner(
      userID: client.identity.userID, systemUnit: client.identity.systemUnit)
    // The end of a process is known only for a Unix socket.
    let token = accepted.identified == nil ? client.process : nil
    let peer = ServerPeer(
      channel: channel, process: accepted.process, token: token,
      direct: DirectSocket(accepted.socket))
    let id = try shell.connect(peer, owner: owner, feed: feed).get()
    try channel.pipeline.syncOperations.addHandler(
      FeedChannelHandler(id: id, client: client, utcNow: utcNow) { [shell] event in
        shell.handle(event)
      })
  }
}
