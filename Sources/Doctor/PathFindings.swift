// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

enum PathFindings {
  /// Returns the finding about the network path.
  ///
  /// Weather lookups require a network path; fixes do not.
  static func findings(_ path: NetworkPath?) -> [DoctorFinding] {
    guard let path else { return [] }
    if path.isSatisfied, path.reason == nil, (path.verified ?? .yes) == .yes {
      return [DoctorFinding(.good, "network", path.text)]
    }
    return [DoctorFinding(.note, "network", path.text, remedy: remedy(path))]
  }

  private static func remedy(_ path: NetworkPath) -> String? {
    let name = path.interfaces.first?.name ?? "NAME"
    switch path.verified {
    case .portal: return "log in with a browser on this network; every page leads to the login"
    case .upstreamDead: return "tracepath -n 1.1.1.1   (shows the last hop that responds)"
    case .dnsFailing: return "getent hosts example.org   (then: cat /etc/resolv.conf)"
    case .yes, nil: break
    }
    return switch path.reason {
    case .noInterface, .noPermittedInterface: "ip -br link   (then: sudo ip link set NAME up)"
    case .noCarrier:
      "ip -br link   (plug the cable in, or: sudo nmcli device wifi connect SSID --ask)"
    case .noAddress, .noDefaultRoute, .linkLocalOnly:
      "sudo nmcli device reapply \(name)   (or: sudo networkctl renew \(name))"
    case .dnsMissing: "cat /etc/resolv.conf   (a line \"nameserver ADDRESS\" is missing)"
    case .unknown, nil: nil
    }
  }
}
