// SPDX-License-Identifier: Apache-2.0

/// The kernel's links, addresses and routes at one moment.
struct NetworkSnapshot: Equatable, Sendable {
  enum Family: UInt8, Sendable {
    case ipv4 = 2
    case ipv6 = 10
  }

  struct Link: Equatable, Sendable {
    var index: Int32
    var name: String
    /// `ifi_type`: 1 Ethernet, 512 PPP, 772 loopback.
    var hardware: UInt16
    /// `IFLA_INFO_KIND`, such as `veth` or `bridge`; `nil` for hardware.
    var kind: String?
    /// What the driver calls it, such as `wlan` or `wwan`; `nil` where it says nothing.
    var deviceType: String?
    var isUp: Bool
    /// Up and with a carrier.
    var isRunning: Bool
    var isLoopback: Bool
  }

  struct Address: Equatable, Sendable {
    var index: Int32
    var family: Family
    /// Whether it reaches beyond the link.
    var isGlobal: Bool
    /// Whether it may be used: not tentative, not a duplicate.
    var isUsable: Bool
  }

  struct Route: Equatable, Sendable {
    enum Kind: Sendable {
      /// Unicast or local.
      case leads
      /// Unreachable, blackhole or prohibit: an answer, and the end of the search.
      case refuses
      /// Multicast, throw and the like: no way to anywhere, and nobody is stopped.
      case other
    }

    var family: Family
    var index: Int32
    var destinationLength: UInt8
    var metric: UInt32
    var kind: Kind
    /// Whether it stands in the main table.
    var isInMainTable: Bool
    /// Whether the kernel knows its next hop to be out of reach.
    var isLinkDown: Bool
    var isDefault: Bool { destinationLength == 0 }
  }

  var links: [Link] = []
  var addresses: [Address] = []
  var routes: [Route] = []
  var hasNameserver = false
  /// What bytes cost over the default route, by whoever manages the network.
  var metered = Metered.unknown
  /// The routes that the kernel takes to anywhere, of each family that it has them for.
  var routesToInternet: [Route] = []
  /// The route to the one address asked for; `nil` where there is none.
  var routeToDestination: Route?
}
