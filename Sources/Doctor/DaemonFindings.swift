// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import Receivers

extension DoctorSnapshot {
  /// The source in the daemon's status report.
  package struct DaemonSource: Equatable, Sendable {
    /// The names of the source's members, such as a device node or `auto`; empty if not reported.
    package var names: [String]
    /// The reason why the source delivers no data; `nil` if the source delivers
    /// data, or if the reason is not reported.
    package var fault: String?
    /// The remedy of the fault; `nil` if it is not known.
    package var advice: String?
    /// The reason why an open source has no position; `nil` if it has one or is not reported.
    package var noFix: NoFixExplanation?
    /// The age of the last position, such as `0.4 s`; `nil` if there is none or it is not reported.
    package var fixAge: String?
    /// The counts of the received lines; `nil` if they are not reported.
    package var received: ReceivedLines?
    /// The statements of receivers about themselves.
    package var messages: [ReceiverMessage] = []
    /// Whether the last position is exactly 0° N, 0° E.
    package var isZeroPosition = false
    /// The file to which a source can be added: the file given with `--config`, or one in `conf.d`.
    package var file: String

    /// The file to which a source can be added if the daemon uses the default configuration.
    package static let usualFile = "/etc/fixcast/conf.d/receiver.toml"

    package init(
      names: [String] = [], fault: String? = nil, advice: String? = nil,
      noFix: NoFixExplanation? = nil,
      files: [String] = []
    ) {
      self.names = names
      self.fault = fault
      self.advice = advice
      self.noFix = noFix
      // A daemon started with `--config` does not read `conf.d`.
      file = files.first { !$0.hasPrefix("/etc/fixcast/") } ?? Self.usualFile
    }

    /// Returns the source with each port named by the device node of one of the devices.
    ///
    /// The daemon may name a port by any symbolic link to the device node.
    package func named(by devices: [Device]) -> DaemonSource {
      var source = self
      source.names = names.map { name in
        devices.first { PortHolders.isSamePort($0.devnode, name) }?.devnode ?? name
      }
      return source
    }
  }
}

enum DaemonFindings {
  /// Returns the finding for a device that the daemon reads or may read; `nil` if no daemon is
  /// running, or if the finding is the same without a daemon.
  static func deviceFinding(
    _ device: DoctorSnapshot.Device, _ name: String, _ snapshot: DoctorSnapshot
  ) -> DoctorFinding? {
    guard snapshot.isEnforced else { return nil }
    let names = snapshot.daemonSource.names
    let isConfigured =
      names.contains(device.devnode)
      || names.contains("auto") && device.role == .receiver && device.isReadable
    let others = device.holders.filter { !$0.hasPrefix("fixcast ") }
    let isHeld = others.count < device.holders.count
    if isHeld, let other = others.first {
      return DoctorFinding(
        .bad, device.devnode,
        "\(name): in use by the daemon, and also by \(others.joined(separator: ", ")), which takes "
          + "bytes away from it",
        remedy: Doctor.remedy(against: other, of: device.devnode))
    }
    if isHeld || isConfigured && device.holders.isEmpty {
      return DoctorFinding(.good, device.devnode, "\(name): in use by the daemon")
    }
    switch device.role {
    case .candidate:
      return DoctorFinding(
        .note, device.devnode,
        "\(name): may have a receiver behind it; the daemon reads it only if configured",
        remedy: command(adding: device.stablePath, to: snapshot.daemonSource.file))
    case .receiver where !device.isReadable && device.group == "dialout":
      return DoctorFinding(
        .good, device.devnode,
        "\(name): a receiver that the daemon may read; this user needs no permission")
    case .receiver, .modemPort: return nil
    }
  }

  /// Returns the finding for a daemon whose source delivers no data, or whose position is missing or
  /// doubtful.
  static func sourceFindings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.isEnforced else { return [] }
    guard let fault = snapshot.daemonSource.fault else {
      if let noFix = snapshot.daemonSource.noFix {
        let name = noFix.source.map { "\($0): " } ?? ""
        return [
          DoctorFinding(
            noFix.needsOnlyTime ? .note : .bad, "fix", name + noFix.facts, remedy: noFix.advice)
        ]
      }
      guard snapshot.daemonSource.isZeroPosition else { return [] }
      return [DoctorFinding(.note, "position", ZeroPosition.fact, remedy: ZeroPosition.advice)]
    }
    return [
      DoctorFinding(
        .bad, "source", fault,
        remedy: snapshot.daemonSource.advice
          ?? "fixcast devices   (then: man fixcast.toml on how to name a port)")
    ]
  }

  /// Returns the command that appends a serial source to a file.
  static func command(adding path: String, to file: String) -> String {
    #"printf '\n[[source]]\ntype = "serial"\ndevice = "%s"\n' \#(RuleFindings.quoted(path)) | "#
      + "sudo tee -a \(RuleFindings.quoted(file))"
  }
}
