// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

extension NetworkPath.Interface {
  /// Tells what carries an interface.
  init(_ link: NetworkSnapshot.Link) { self.init(name: link.name, kind: Kind(link)) }
}

extension NetworkSnapshot.Link {
  /// Whether it has a plug or an antenna, which may be without a carrier.
  var isHardware: Bool {
    switch NetworkPath.Interface.Kind(self) {
    case .wired, .wifi, .cellular: true
    case .loopback, .virtual, .other: false
    }
  }
}

extension NetworkPath.Interface.Kind {
  /// Judged by what the kernel says; by the name only where it says nothing that tells wired and
  /// wireless apart (systemd's names: `wl`, `ww`).
  init(_ link: NetworkSnapshot.Link) {
    self =
      switch (link.kind, link.deviceType, link.hardware) {
      case _ where link.isLoopback: .loopback
      // PPP is a modem's protocol; PPP over Ethernet is told apart by the configuration only.
      case (_, _, Hardware.ppp), ("ppp", _, _): .cellular
      case ("wwan", _, _), ("rmnet", _, _), (_, "wwan", _), (_, _, Hardware.rawIP): .cellular
      case (_, "wlan", _), (_, _, Hardware.wireless): .wifi
      case (.some, _, _), (_, _, Hardware.none), (_, _, Hardware.tunnels): .virtual
      case _ where link.name.hasPrefix("wl"): .wifi
      case _ where link.name.hasPrefix("ww"): .cellular
      case (_, _, Hardware.ethernet): .wired
      default: .other
      }
  }

  /// `ARPHRD_*` of `linux/if_arp.h`.
  private enum Hardware {
    static let ethernet: UInt16 = 1
    static let ppp: UInt16 = 512
    /// What modems speak that carry packets without an Ethernet around them.
    static let rawIP: UInt16 = 519
    /// IPv4 and IPv6 in one another.
    static let tunnels: ClosedRange<UInt16> = 768...769
    static let wireless: ClosedRange<UInt16> = 801...803
    /// No link layer: tunnels of programs.
    static let none: UInt16 = 0xFFFE
  }
}
