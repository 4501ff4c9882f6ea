// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import SystemSupport

/// The user and the system unit of the process that opened a connection.
///
/// Limits apply to each owner.
///
/// The unit is included so that services with the same user do not share one limit.
struct ConnectionOwner: Hashable, Sendable {
  var userID: UInt32
  var systemUnit: String?
  /// Whether the connection is that of a browser over TCP.
  ///
  /// The user is then the one who connected, such as the user of an SSH tunnel, and not the user of the
  /// session.
  var isBrowser = false
  /// The network address of a browser on another computer; empty for others.
  var address: [UInt8] = []
}

extension ConnectionOwner {
  init(_ client: ClientIdentity) {
    self.init(userID: client.userID, systemUnit: client.systemUnit)
  }

  /// The number of bytes of an IPv6 address that name its network, in which a computer can choose any
  /// address.
  private static let networkBytes = 8

  /// The address of connections from this board whose user is not known.
  ///
  /// A program can connect from 16 million loopback addresses, and the kernel does not state its user once
  /// it has closed its socket, so all of these addresses have one owner.
  private static let loopback: [UInt8] = [127]

  /// Finds the owner of the connection of a browser: its user if it connects from this board, otherwise
  /// its address.
  init(ofBrowser socket: Int32, _ groups: ControlGroupTree) {
    self.init(userID: .max, isBrowser: true)
    if let owner = try? SocketOwner(peerOf: socket) {
      userID = owner.userID
      // Without a certain unit, the limits of the user apply.
      systemUnit = groups.client(user: userID, group: owner.controlGroup)?.identity.systemUnit
    } else if let peer = SocketOwner.address(of: socket, getpeername)?.unmapped {
      address = peer.isLoopback ? Self.loopback : Array(peer.bytes.prefix(Self.networkBytes))
    }
  }
}
