// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Plugins
import Positioning

/// The network path, and what to do where there is none.
struct WatchPath: WatchSection {
  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    guard let path = state.path else {
      return [WatchRow(rank: .subject, label: "Path", text: "not known yet")]
    }
    let value = path.value
    let names = value.interfaces.map(\.name).joined(separator: ", ")
    var text = value.isSatisfied ? "up" : Self.words(value.reason?.rawValue ?? "noRoute")
    if value.isSatisfied, !names.isEmpty { text += " via \(names)" }
    if value.isSatisfied, let reason = value.reason { text += "; \(Self.words(reason.rawValue))" }
    if value.isExpensive { text += ", bytes cost money" }
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

  /// Reasons of paths and gates in words; one that is not known here as it came.
  static func words(_ reason: String) -> String {
    switch NetworkPath.Reason(rawValue: reason) {
    case .noInterface: "no network interface"
    case .noCarrier: "no carrier"
    case .noAddress: "no address"
    case .noDefaultRoute: "no route"
    case .linkLocalOnly: "only link-local addresses"
    case .dnsMissing: "nobody to ask for names; see /etc/resolv.conf"
    case .unknown: "the kernel could not be asked"
    case nil: reason == "pathUnknown" ? "path not known yet" : reason
    }
  }

  private static func advice(_ reason: NetworkPath.Reason?) -> String? {
    switch reason {
    case .noInterface: "fit or enable one; ip link shows what there is"
    case .noCarrier: "plug the cable in, or join a wireless network"
    case .noAddress, .linkLocalOnly: "is there a DHCP server? ip address shows what there is"
    case .noDefaultRoute: "ip route shows what there is; a default route is missing"
    case .dnsMissing, .unknown, nil: nil
    }
  }
}
