// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

extension NetworkPath.Interface {
  init(_ link: NetworkSnapshot.Link) { self.init(name: link.name, kind: Kind(link)) }
}

extension NetworkSnapshot.Link {
  /// Whether the interface is wired, Wi-Fi or cellular hardware, so that it can lose its carrier.
  var isHardware: Bool {
    switch NetworkPath.Interface.Kind(self) {
    case .wired, .wifi, .cellular: true
    case .loopback, .virtual, .other: false
    }
  }
}

extension NetworkPath.Interface.Kind {
  /// Determines the kind from the kernel's information.
  ///
  /// If that information does not distinguish wired from wireless, systemd's name prefixes `wl` and
  /// `ww` are used.
  init(_ link: NetworkSnapshot.Link) {
    self =
      switch (link.kind, link.deviceType, link.hardware) {
      case _ where link.isLoopback: .loopback
      // PPP usually means a modem. PPP over Ethernet looks the same; `PathRules` can mark such an
      // interface as not metered.
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
    /// Modems that carry IP packets without Ethernet frames.
    static let rawIP: UInt16 = 519
    /// IPv4 and IPv6 tunnels.
    static let tunnels: ClosedRange<UInt16> = 768...769
    static let wireless: ClosedRange<UInt16> = 801...803
    /// No link layer, as for TUN devices.
    static let none: UInt16 = 0xFFFE
  }
}
