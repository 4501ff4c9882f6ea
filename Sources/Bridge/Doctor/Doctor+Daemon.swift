// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// What a daemon that answers says of its source.
  public struct DaemonSource: Equatable, Sendable {
    /// What it is called, such as a devnode; `nil` where it was not told.
    public var name: String?
    /// Why nothing has come from it, in a sentence; `nil` where something has, or it was not told.
    public var fault: String?

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - fault: Why nothing has come from it.
    public init(name: String? = nil, fault: String? = nil) {
      self.name = name
      self.fault = fault
    }
  }
}

extension Doctor {
  /// What there is to say of a device where a daemon answers, which alone has to read it; `nil` where
  /// that makes no difference.
  static func daemons(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding? {
    guard snapshot.isEnforced else { return nil }
    if device.holders.contains(where: { $0.hasPrefix("fixcast ") })
      || snapshot.daemonSource.name == device.devnode && device.holders.isEmpty
    {
      return DoctorFinding(.good, device.devnode, "\(name): the daemon's to read")
    }
    switch device.role {
    case .candidate:
      return DoctorFinding(
        .note, device.devnode,
        "\(name): may have a receiver behind it; the daemon reads it when it is named",
        mend: named(device.devnode))
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

  /// The command that names a port.
  private static func named(_ devnode: String) -> String {
    #"printf '[[source]]\ntype = "serial"\ndevice = "%s"\n' \#(devnode) | "#
      + "sudo tee /etc/fixcast/conf.d/receiver.toml"
  }
}
