// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// Asks the kernel for everything that a decision needs.
struct NetlinkReader: Sendable {
  let socket: any NetlinkSocket
  private var sequence: UInt32 = 0

  init(socket: any NetlinkSocket) { self.socket = socket }

  /// Reads links, addresses and routes, and those that the kernel takes to a destination.
  mutating func snapshot(
    to destination: PathDestination
  ) throws(NetlinkError) -> NetworkSnapshot {
    var snapshot = NetworkSnapshot()
    // A change in between may tear links, addresses and routes apart: it is also told to the
    // listening socket, which has all of it read again.
    snapshot.links = try dump(.links).compactMap(NetworkSnapshot.Link.init)
    snapshot.addresses = try dump(.addresses).compactMap(NetworkSnapshot.Address.init)
    snapshot.routes = try dump(.routes).flatMap(NetworkSnapshot.Route.routes)
    switch destination {
    case .address(let address): snapshot.routeToDestination = try route(to: address)
    case .internet: snapshot.routesToInternet = try routesToInternet()
    case .loopback, .localNetwork: break
    }
    return snapshot
  }

  private mutating func dump(_ request: NetlinkRequest) throws(NetlinkError) -> [NetlinkMessage] {
    // A dump that the kernel calls torn is asked for again, three times at most.
    for attempt in 1...3 {
      let (messages, isTorn) = try ask(request) { $0.endsDump }
      if !isTorn || attempt == 3 { return messages }
    }
    return []
  }

  /// Asks as a request would go: by the rules, by whatever table they lead to, and by prefixes that
  /// together are as good as a default route.
  private mutating func routesToInternet() throws(NetlinkError) -> [NetworkSnapshot.Route] {
    var found: [NetworkSnapshot.Route] = []
    for addresses in Self.internet {
      var routes: [NetworkSnapshot.Route] = []
      for address in addresses {
        if let route = try route(to: address), route.kind == .leads { routes.append(route) }
      }
      // A way to one part of it is a way to somebody's network.
      if routes.count == addresses.count { found += routes }
    }
    return found
  }

  /// Addresses of either family, far apart: in both halves of IPv4, and of what IPv6 has given out.
  ///
  /// Nothing is ever sent to them.
  private static let internet: [[[UInt8]]] = [
    [
      [0x26, 0x20, 0, 0xFE] + Array(repeating: 0, count: 11) + [0xFE],
      [0x20, 0x01, 0x05, 0] + Array(repeating: 0, count: 11) + [0x01],
    ],
    [[9, 9, 9, 9], [193, 0, 14, 129]],
  ]

  private mutating func route(to address: [UInt8]) throws(NetlinkError) -> NetworkSnapshot.Route? {
    do {
      let (messages, _) = try ask(.route(to: address)) {
        $0.type == UInt16(RTM_NEWROUTE) || $0.endsDump
      }
      return messages.lazy.flatMap(NetworkSnapshot.Route.routes).first
    } catch {
      // The kernel's way to say that there is none.
      switch error.number {
      case ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, ENETDOWN: return nil
      default: throw error
      }
    }
  }

  /// Sends a question and collects the answers, the last included.
  private mutating func ask(
    _ request: NetlinkRequest, until isLast: (NetlinkMessage) -> Bool
  ) throws(NetlinkError) -> (messages: [NetlinkMessage], isTorn: Bool) {
    sequence &+= 1
    try socket.send(request.bytes(sequence: sequence))
    var messages: [NetlinkMessage] = []
    var isTorn = false
    // A board with a full routing table has a million routes; 4,096 datagrams hold more.
    for _ in 0..<4096 {
      guard let datagram = try socket.receive() else {
        throw NetlinkError(call: "recv", number: ETIMEDOUT)
      }
      for message in NetlinkMessage.messages(in: datagram) where message.sequence == sequence {
        if let number = message.errorNumber ?? message.endOfDumpErrorNumber, number != 0 {
          throw NetlinkError(call: "netlink", number: number)
        }
        isTorn = isTorn || message.isInterrupted
        if !message.endsDump { messages.append(message) }
        if isLast(message) { return (messages, isTorn) }
      }
    }
    throw NetlinkError(call: "netlink", number: EMSGSIZE)
  }
}
