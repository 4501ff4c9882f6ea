// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import FoundationEssentials
internal import Glibc
package import PathMonitorClient
internal import PathMonitorClientLive
internal import Positioning
package import Receivers

/// What the doctor looks at, gathered before anything is judged.
package struct DoctorSnapshot: Equatable, Sendable {
  /// A serial device.
  package struct Device: Equatable, Sendable {
    /// What it is taken for.
    package enum Role: Equatable, Sendable {
      /// A receiver by its ids.
      case receiver
      /// A converter that may have a receiver behind it.
      case candidate
      /// The position port of a modem.
      case modemPort
    }

    /// The devnode.
    package var devnode: String
    /// Maker and model, where they are known.
    package var model: String?
    /// What it is taken for.
    package var role: Role
    /// Whether this user may read it.
    package var isReadable: Bool
    /// The name of the group that may read it; `nil` where there is none.
    package var group: String?
    /// The programs that have it open, as `name (pid)`.
    package var holders: [String]
    /// What to add to a command so that it listens to it.
    package var consent: String
    /// Whether gpsd's configuration gives it to gpsd, whether gpsd runs or not.
    package var isConfiguredForGPSD: Bool
    /// Whether the gpsd that runs says that it has it.
    package var isListedByGPSD: Bool
    /// Whether everybody may read it.
    package var isWorldReadable = false

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - devnode: The devnode.
    ///   - model: Maker and model.
    ///   - role: What it is taken for.
    ///   - isReadable: Whether this user may read it.
    ///   - group: The group that may read it.
    ///   - holders: The programs that have it open.
    ///   - consent: What to add to a command so that it listens to it.
    ///   - isConfiguredForGPSD: Whether gpsd's configuration gives it to gpsd.
    ///   - isListedByGPSD: Whether the gpsd that runs says that it has it.
    package init(
      devnode: String, model: String? = nil, role: Role, isReadable: Bool = true,
      group: String? = "dialout", holders: [String] = [], consent: String = "",
      isConfiguredForGPSD: Bool = false, isListedByGPSD: Bool = false
    ) {
      self.devnode = devnode
      self.model = model
      self.role = role
      self.isReadable = isReadable
      self.group = group
      self.holders = holders
      self.consent = consent
      self.isConfiguredForGPSD = isConfiguredForGPSD
      self.isListedByGPSD = isListedByGPSD
    }
  }

  /// The serial devices that are or may be receivers.
  package var devices: [Device] = []
  /// Why plugging in would not be noticed; `nil` where it would.
  package var discoveryFailure: String?
  /// What listens on gpsd's port of this host.
  package var gpsd = GPSDPresence.absent
  /// The port that was looked at.
  package var gpsdPort = GPSDAddress.defaultPort
  /// The files of rules for udev.
  package var rules = DoctorSnapshot.ruleNames.map { Rule($0, .missing) }
  /// The folder from which they can be installed; `nil` where it is not known.
  package var rulesFolder: String?
  /// The network path to the internet; `nil` where it was not looked at.
  package var path: NetworkPath?
  /// How far decisions bind; `nil` where it was not looked at.
  package var mode: Mode?
  /// What the board's files and operators say.
  package var board = Board()
  /// What the daemon says it cannot keep, and what mends that; `nil` where it says nothing of it.
  package var stateFault: String?
  /// What the daemon says of its source.
  package var daemonSource = DaemonSource()
  /// What /proc hides from a daemon that is not root's; `nil` where nothing, or no such one answers.
  package var hiding: ProcessHiding?
  /// Who else is in the groups that may read receivers, by the name of the group.
  package var members: [String: [String]] = [:]
  /// How many processes would not let us look at what they have open.
  package var unseenProcessCount = 0
  /// The user's name, for the command that mends.
  package var user = "USER"

  package init() {}
}

extension DoctorSnapshot {
  /// Looks at this system; opens no receiver.
  package static func ofThisSystem(
    gpsdPort: UInt16 = GPSDAddress.defaultPort, socketPath: String = DaemonAddress.usualSocketPath
  ) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    let events = UDevReceivers().present()
    for case .unavailable(let reason) in events { snapshot.discoveryFailure = "\(reason)" }
    let found = events.compactMap(receiver)
    let holders = PortHolders(of: found.map(\.receiver.devnode))
    snapshot.unseenProcessCount = holders.unseenProcessCount
    let configuration = GPSDConfiguration.installed()
    snapshot.gpsdPort = gpsdPort
    snapshot.gpsd = GPSDProbe(port: gpsdPort).presence()
    snapshot.devices = found.map { role, receiver -> Device in
      var device = Device(
        devnode: receiver.devnode, model: receiver.modelName, role: role,
        isReadable: access(receiver.devnode, R_OK) == 0, group: group(of: receiver.devnode),
        holders: holders.holders(of: receiver.devnode).map { "\($0.program) (\($0.processID))" },
        consent: receiver.consent, isConfiguredForGPSD: configuration.claims(receiver),
        isListedByGPSD: snapshot.gpsd.has(receiver))
      device.isWorldReadable = isWorldReadable(receiver.devnode)
      return device
    }
    let mode = mode(at: socketPath)
    snapshot.mode = mode
    for group in groups(snapshot) { snapshot.members[group] = members(of: group) }
    if mode != .cooperative(socket: socketPath), !belongsToRoot(socketPath) {
      let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
      snapshot.hiding = ProcessHiding(mounts: mounts, isMember: { isMember("fixcast", of: $0) })
    }
    snapshot.rules = rules()
    snapshot.rulesFolder = rulesSource(program: programPath())
    snapshot.path = NetworkPath.present()
    if let name = getpwuid(getuid())?.pointee.pw_name { snapshot.user = String(cString: name) }
    return snapshot
  }

  /// The groups that may read receivers: those of what is plugged in, and what Debian gives serial
  /// devices to, since one may be plugged in at any time.
  static func groups(_ snapshot: DoctorSnapshot) -> Set<String> {
    let present = snapshot.devices.filter { $0.role == .receiver }.compactMap(\.group)
    return Set(present + (snapshot.isEnforced ? ["dialout"] : []))
  }

  /// Whether root serves a socket: it sees every process.
  private static func belongsToRoot(_ socketPath: String) -> Bool {
    var status = stat()
    return stat(socketPath, &status) == 0 && status.st_uid == 0
  }

  /// Whether a user is in a group by its number.
  private static func isMember(_ user: String, of group: UInt32) -> Bool {
    guard var member = getgrgid(group)?.pointee.gr_mem else { return false }
    while let name = member.pointee {
      if String(cString: name) == user { return true }
      member += 1
    }
    return false
  }

  private static func receiver(
    _ event: DiscoveryEvent
  ) -> (role: Device.Role, receiver: DiscoveredReceiver)? {
    switch event {
    case .found(let receiver): (receiver.role == .modemPort ? .modemPort : .receiver, receiver)
    case .candidate(let receiver): (.candidate, receiver)
    case .ignored, .gone, .settled, .unavailable: nil
    }
  }

  private static func isWorldReadable(_ devnode: String) -> Bool {
    var status = stat()
    return stat(devnode, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  /// Who is in a group by /etc/group; root and the daemon's own user are no leak.
  private static func members(of group: String) -> [String] {
    var names: [String] = []
    guard var member = getgrnam(group)?.pointee.gr_mem else { return [] }
    while let name = member.pointee {
      names.append(String(cString: name))
      member += 1
    }
    return names.filter { $0 != "root" && $0 != "fixcast" }.sorted()
  }

  private static func group(of devnode: String) -> String? {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IRGRP != 0,
      let entry = getgrgid(status.st_gid),
      let name = entry.pointee.gr_name
    else { return nil }
    return String(cString: name)
  }
}
