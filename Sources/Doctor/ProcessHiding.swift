// SPDX-License-Identifier: Apache-2.0

/// A mount option of /proc that hides other users' processes.
package struct ProcessHiding: Equatable, Sendable {
  /// The option, such as `hidepid=2`.
  package let option: String

  /// Reads the option from a list of mounts; `nil` if /proc hides nothing from the daemon.
  ///
  /// - Parameters:
  ///   - mounts: The content of `/proc/self/mounts`.
  ///   - isMember: Returns whether the daemon's user is in the group with this number. The option
  ///     `gid=` exempts one group.
  init?(mounts: String, isMember: (UInt32) -> Bool) {
    // The last mount on /proc hides the earlier ones.
    let lines = mounts.split(separator: "\n").map { $0.split(separator: " ") }
    guard let proc = lines.last(where: { $0.count > 3 && $0[1] == "/proc" && $0[2] == "proc" })
    else { return nil }
    let options = proc[3].split(separator: ",")
    guard let option = options.last(where: { $0.hasPrefix("hidepid=") }),
      !["0", "off"].contains(option.dropFirst(8))
    else { return nil }
    let group = options.last { $0.hasPrefix("gid=") }.flatMap { UInt32($0.dropFirst(4)) }
    if let group, isMember(group) { return nil }
    self.option = String(option)
  }
}
