// SPDX-License-Identifier: Apache-2.0

internal import Receivers

extension DoctorSnapshot {
  /// What a daemon that answers says of its source.
  package struct DaemonSource: Equatable, Sendable {
    /// What it is made of, each by its name, such as a devnode or `auto`; empty where it was not told.
    package var names: [String]
    /// Why nothing has come from it, in a sentence; `nil` where something has, or it was not told.
    package var fault: String?
    /// Where a source may be added: the daemon's own file, or one of the folder that it reads.
    package var file: String

    /// Where a source is added that the daemon is to find by itself.
    package static let usualFile = "/etc/fixcast/conf.d/receiver.toml"

    /// Makes a source.
    package init(names: [String] = [], fault: String? = nil, files: [String] = []) {
      self.names = names
      self.fault = fault
      // One that was started with a file of its own reads no folder beside it.
      file = files.first { !$0.hasPrefix("/etc/fixcast/") } ?? Self.usualFile
    }
  }

  /// Takes what a daemon says of its source; its ports by the names that the devices have here.
  ///
  /// - Parameter source: What it says. A port may be named there by any link that leads to it.
  package mutating func take(_ source: DaemonSource) {
    daemonSource = source
    daemonSource.names = source.names.map { name in
      devices.first { PortHolders.isOne($0.devnode, name) }?.devnode ?? name
    }
  }
}

enum DaemonFindings {
  /// What there is to say of a device where a daemon answers, which alone has to read it; `nil` where
  /// that makes no difference.
  static func daemons(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding? {
    guard snapshot.isEnforced else { return nil }
    let names = snapshot.daemonSource.names
    let isNamed =
      names.contains(device.devnode)
      || names.contains("auto") && device.role == .receiver && device.isReadable
    if device.holders.contains(where: { $0.hasPrefix("fixcast ") })
      || isNamed && device.holders.isEmpty
    {
      return DoctorFinding(.good, device.devnode, "\(name): the daemon's to read")
    }
    switch device.role {
    case .candidate:
      return DoctorFinding(
        .note, device.devnode,
        "\(name): may have a receiver behind it; the daemon reads it when it is named",
        mend: named(device.devnode, in: snapshot.daemonSource.file))
    case .receiver where !device.isReadable && device.group == "dialout":
      return DoctorFinding(
        .good, device.devnode,
        "\(name): a receiver, which the daemon may read, and this user need not")
    case .receiver, .modemPort: return nil
    }
  }

  /// Says what keeps the daemon without a position, where it is no view of the sky.
  static func daemonSource(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.isEnforced, let fault = snapshot.daemonSource.fault else { return [] }
    return [
      DoctorFinding(
        .bad, "source", fault,
        mend: "fixcast devices   (then: man fixcast.toml, for how a port is named)")
    ]
  }

  /// The command that names a port, below whatever the file says already.
  private static func named(_ devnode: String, in file: String) -> String {
    #"printf '\n[[source]]\ntype = "serial"\ndevice = "%s"\n' \#(RuleFindings.quoted(devnode)) | "#
      + "sudo tee -a \(RuleFindings.quoted(file))"
  }
}
