// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// Queries the kernel for links, addresses and routes.
struct NetlinkReader: Sendable {
  let socket: any NetlinkSocket
  private var sequence: UInt32 = 0

  init(socket: any NetlinkSocket) { self.socket = socket }

  /// Reads links, addresses and routes, and the result of the kernel's route lookup.
  mutating func snapshot(
    to destination: PathDestination
  ) throws(NetlinkError) -> NetworkSnapshot {
    var snapshot = NetworkSnapshot()
    // A change between the dumps makes the snapshot inconsistent. The kernel also notifies the
    // listening socket of the change, and another read follows.
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
    // An inconsistent dump is repeated, with at most three attempts.
    for attempt in 1...3 {
      let (messages, isInterrupted) = try exchange(request) { $0.endsDump }
      if !isInterrupted || attempt == 3 { return messages }
    }
    return []
  }

  /// Looks up routes to the internet.
  ///
  /// The lookup considers policy rules, other routing tables, and prefixes that together are
  /// equivalent to a default route.
  private mutating func routesToInternet() throws(NetlinkError) -> [NetworkSnapshot.Route] {
    var internetRoutes: [NetworkSnapshot.Route] = []
    for addresses in Self.internet {
      var routes: [NetworkSnapshot.Route] = []
      for address in addresses {
        if let route = try route(to: address), route.kind == .forwards { routes.append(route) }
      }
      // A route to only one of the addresses is a route to a single network.
      if routes.count == addresses.count { internetRoutes += routes }
    }
    return internetRoutes
  }

  /// Two distant addresses of each family; no packet is ever sent to them.
  ///
  /// One IPv4 address is in each half of the address space; one IPv6 address is in each half of the
  /// allocated space.
  private static let internet: [[[UInt8]]] = [
    [
      [0x26, 0x20, 0, 0xFE] + Array(repeating: 0, count: 11) + [0xFE],
      [0x20, 0x01, 0x05, 0] + Array(repeating: 0, count: 11) + [0x01],
    ],
    [[9, 9, 9, 9], [193, 0, 14, 129]],
  ]

  private mutating func route(to address: [UInt8]) throws(NetlinkError) -> NetworkSnapshot.Route? {
    do {
      let (messages, _) = try exchange(.route(to: address)) {
        $0.type == UInt16(RTM_NEWROUTE) || $0.endsDump
      }
      return messages.lazy.flatMap(NetworkSnapshot.Route.routes).first
    } catch {
      // The kernel returns these errors if there is no route.
      switch error.number {
      case ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, ENETDOWN: return nil
      default: throw error
      }
    }
  }

  /// Sends a request and collects the replies up to and including the last reply.
  private mutating func exchange(
    _ request: NetlinkRequest, until isLast: (NetlinkMessage) -> Bool
  ) throws(NetlinkError) -> (messages: [NetlinkMessage], isInterrupted: Bool) {
    sequence &+= 1
    try socket.send(request.bytes(sequence: sequence))
    var messages: [NetlinkMessage] = []
    var isInterrupted = false
    // A full internet routing table has a million routes, which fit into fewer than 4,096
    // datagrams.
    for _ in 0..<4096 {
      guard let datagram = try socket.receive() else {
        throw NetlinkError(call: "recv", number: ETIMEDOUT)
      }
      for message in NetlinkMessage.messages(in: datagram) where message.sequence == sequence {
        if let number = message.errorNumber ?? message.endOfDumpErrorNumber, number != 0 {
          throw NetlinkError(call: "netlink", number: number)
        }
        isInterrupted = isInterrupted || message.isInterrupted
        if !message.endsDump { messages.append(message) }
        if isLast(message) { return (messages, isInterrupted) }
      }
    }
    throw NetlinkError(call: "netlink", number: EMSGSIZE)
  }
}
