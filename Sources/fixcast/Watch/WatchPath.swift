// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Plugins
import Positioning

/// The live view's section for the network path, with advice if there is no path.
struct WatchPath: WatchSection {
  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    guard let path = state.path else {
      return [WatchRow(rank: .subject, label: "Path", text: "not known yet")]
    }
    let value = path.value
    let names = value.interfaces.map(\.name).joined(separator: ", ")
    var text = value.isSatisfied ? "up" : Self.text(forReason: value.reason?.rawValue ?? "noRoute")
    if value.isSatisfied, !names.isEmpty { text += " via \(names)" }
    if value.isSatisfied, let reason = value.reason {
      text += "; \(Self.text(forReason: reason.rawValue))"
    }
    if value.isExpensive { text += ", metered" }
    if let verified = value.verified, verified != .yes { text += "; \(verified.text)" }
    if value.isScripted { text += " (scripted, not real)" }
    var rows = [
      WatchRow(
        rank: .subject, label: "Path", age: age(path.at), text: text,
        tone: value.isSatisfied && (value.verified ?? .yes) == .yes ? .plain : .bad)
    ]
    if !value.isSatisfied, let advice = Self.advice(value.reason) {
      rows.append(WatchRow(rank: .detail, text: advice, tone: .bad))
    }
    return rows
  }

  /// Returns the text for a reason that a path or a gate reports; an unknown reason is unchanged.
  static func text(forReason reason: String) -> String {
    switch NetworkPath.Reason(rawValue: reason) {
    case .noInterface: "no network interface"
    case .noPermittedInterface: "no interface of a permitted type"
    case .noCarrier: "no carrier"
    case .noAddress: "no address"
    case .noDefaultRoute: "no route"
    case .linkLocalOnly: "only link-local addresses"
    case .dnsMissing: "no DNS server; see /etc/resolv.conf"
    case .unknown: "the kernel's routes could not be read"
    case nil: reason == "pathUnknown" ? "path not known yet" : reason
    }
  }

  private static func advice(_ reason: NetworkPath.Reason?) -> String? {
    switch reason {
    case .noInterface, .noPermittedInterface: "add or enable one; to list them: ip link"
    case .noCarrier: "plug the cable in, or join a wireless network"
    case .noAddress, .linkLocalOnly: "check the DHCP server; to list addresses: ip address"
    case .noDefaultRoute: "a default route is missing; to list routes: ip route"
    case .dnsMissing, .unknown, nil: nil
    }
  }
}
