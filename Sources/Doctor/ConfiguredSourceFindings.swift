// SPDX-License-Identifier: Apache-2.0

extension DoctorSnapshot {
  /// A source that the configuration names.
  package struct ConfiguredSource: Equatable, Sendable {
    /// The state of the source's device.
    package enum Device: Equatable, Sendable {
      /// The source has no device, or this user may read the device.
      case available
      /// The device does not exist.
      case missing
      /// This user may not read the device.
      case unreadable
    }

    /// The name in the notation of `--source`, such as `serial:/dev/ttyUSB0`.
    package var name: String
    /// The state of the source's device.
    package var device: Device

    /// The device node of a serial source; otherwise the name.
    var devnode: String { name.hasPrefix("serial:") ? String(name.dropFirst(7)) : name }

    package init(name: String, device: Device) {
      self.name = name
      self.device = device
    }
  }
}

enum ConfiguredSourceFindings {
  /// Returns the findings about the configured sources, which commands read without the daemon.
  ///
  /// With the daemon, its own report about its sources replaces them.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard !snapshot.isEnforced else { return [] }
    return snapshot.board.sources.map { source in
      switch source.device {
      case .available: DoctorFinding(.good, "source", "\(source.name): configured")
      case .missing:
        DoctorFinding(
          .bad, "source", "\(source.name): configured, but there is no such device",
          remedy: "fixcast devices   (then plug the receiver in, or correct /etc/fixcast)")
      case .unreadable:
        DoctorFinding(
          .bad, "source", "\(source.name): configured, but this user may not read the device",
          remedy: "sudo systemctl start fixcast   (the daemon may read it)")
      }
    }
  }
}
