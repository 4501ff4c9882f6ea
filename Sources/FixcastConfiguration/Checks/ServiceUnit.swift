// SPDX-License-Identifier: Apache-2.0

/// The state and the protection of the daemon's unit, as systemd reports them.
package struct ServiceUnit: Equatable, Sendable {
  /// The properties to ask `systemctl show` for.
  package static let properties = [
    "ActiveState", "SubState", "Result", "ExecMainStatus", "ProtectHome", "ProtectSystem",
    "PrivateTmp", "ReadWritePaths", "StateDirectory",
  ]

  /// The reason why the service has failed, such as `exit status 78`; `nil` if it has not failed.
  ///
  /// A service that systemd starts again after a failure has failed, too.
  package var failure: String?
  /// Whether the service sees no home folder.
  package var hidesHomes: Bool
  /// Whether the service has a folder /tmp of its own, which is deleted when the service stops.
  package var hasOwnTemporaryFolder: Bool
  /// The folders below which the service can write; `nil` if the unit does not limit them.
  package var writableFolders: [String]?

  /// Reads the output of `systemctl show`; `nil` if it is not about a unit.
  package init?(properties text: String) {
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    guard let state = values["ActiveState"] else { return nil }
    if state == "failed" || values["SubState"] == "auto-restart" {
      let status = values["ExecMainStatus"] ?? "unknown"
      let result = values["Result"] ?? "unknown"
      failure = result == "exit-code" ? "exit status \(status)" : "\(result)"
    }
    hidesHomes = ["yes", "tmpfs"].contains(values["ProtectHome"] ?? "")
    hasOwnTemporaryFolder = values["PrivateTmp"] == "yes"
    if values["ProtectSystem"] == "strict" {
      let states = (values["StateDirectory"] ?? "").split(separator: " ").map { "/var/lib/\($0)" }
      // The prefixes `-` (may be missing) and `+` (below the root directory) do not matter here.
      let paths = (values["ReadWritePaths"] ?? "").split(separator: " ").map {
        String($0.drop { "-+".contains($0) })
      }
      writableFolders = states + paths + ["/tmp", "/var/tmp", "/dev"]
    }
  }

  /// Returns why the service cannot write to a folder, and what to do; `nil` if it can.
  package func problem(with folder: String) -> String? {
    if hidesHomes, ["/home", "/root", "/run/user"].contains(where: { Self.isPath(folder, in: $0) })
    {
      return "the service cannot see \(folder) (ProtectHome= in its unit); use a folder such as "
        + "/var/lib/fixcast"
    }
    if hasOwnTemporaryFolder, ["/tmp", "/var/tmp"].contains(where: { Self.isPath(folder, in: $0) })
    {
      return
        "files in \(folder) are deleted when the service stops (PrivateTmp= in its unit); use a "
        + "folder such as /var/lib/fixcast"
    }
    guard let writableFolders, !writableFolders.contains(where: { Self.isPath(folder, in: $0) })
    else { return nil }
    // The prefix lets the service start without the folder, such as that of a drive.
    return
      "the service may not write to \(folder); allow it with: sudo systemctl edit fixcast, and "
      + "add the lines [Service] and ReadWritePaths=-\(folder), then: sudo systemctl restart fixcast"
  }

  private static func isPath(_ path: String, in folder: String) -> Bool {
    path == folder || folder == "/" || path.hasPrefix(folder + "/")
  }
}
