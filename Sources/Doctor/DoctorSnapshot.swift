// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import FoundationEssentials
internal import Glibc
package import PathMonitorClient
internal import PathMonitorClientLive
package import Positioning
package import Receivers
internal import SystemSupport

/// The state of the system, which ``Doctor`` evaluates.
package struct DoctorSnapshot: Equatable, Sendable {
  /// A serial device.
  package struct Device: Equatable, Sendable {
    /// The classification of a device.
    package enum Role: Equatable, Sendable {
      /// A device whose USB identifiers are those of a receiver.
      case receiver
      /// A serial converter or an Arduino to which a receiver may be connected.
      case candidate
      /// The position port of a modem.
      case modemPort
    }

    /// The device node.
    package var devnode: String
    /// Manufacturer and model, if known.
    package var model: String?
    /// The classification.
    package var role: Role
    /// Whether this user may read the device.
    package var isReadable: Bool
    /// The name of the group that may read the device; `nil` if no group may.
    package var group: String?
    /// The programs that have the device open, as `name (pid)`.
    package var holders: [String]
    /// The path to name in a configuration, which the device keeps when it is replugged.
    package var stablePath: String
    /// Whether gpsd's configuration names the device, even if gpsd is not running.
    package var isConfiguredForGPSD: Bool
    /// Whether a running gpsd lists the device.
    package var isListedByGPSD: Bool
    /// Whether every user may read the device.
    package var isWorldReadable = false
    /// Whether a udev rule makes ModemManager ignore the device.
    package var isIgnoredByModemManager = false

    /// Creates a device; by default, no program holds the device and this user may read it.
    package init(
      devnode: String, model: String? = nil, role: Role, isReadable: Bool = true,
      group: String? = "dialout", holders: [String] = [], stablePath: String? = nil,
      isConfiguredForGPSD: Bool = false, isListedByGPSD: Bool = false
    ) {
      self.devnode = devnode
      self.model = model
      self.role = role
      self.isReadable = isReadable
      self.group = group
      self.holders = holders
      self.stablePath = stablePath ?? devnode
      self.isConfiguredForGPSD = isConfiguredForGPSD
      self.isListedByGPSD = isListedByGPSD
    }

    /// The option that makes a command open the device.
    package var consent: String { "--source serial:\(stablePath)" }
  }

  /// The serial devices that are or may be receivers.
  package var devices: [Device] = []
  /// The serial ports of the board itself.
  package var boardPorts: [BoardPort] = []
  /// The means to switch off a serial console.
  package var consoleTools = ConsoleTools()
  /// The reason why hotplug events are not received; `nil` if they are received.
  package var discoveryFailure: String?
  /// The program that listens on gpsd's port of this host.
  package var gpsd = GPSDPresence.absent
  /// The TCP port that was probed for gpsd.
  package var gpsdPort = GPSDAddress.defaultPort
  /// The udev rules files.
  package var rules = DoctorSnapshot.ruleNames.map { Rule($0, .missing) }
  /// The directory from which the rules can be installed; `nil` if none is found.
  package var rulesFolder: String?
  /// The programs that take USB serial converters.
  package var portClaimants = PortClaimants()
  /// The daemon's last failed weather lookup; `nil` without a daemon, or if the last one succeeded.
  package var failedLookup: FailedLookup?
  /// The network path to the internet; `nil` if the path was not checked.
  package var path: NetworkPath?
  /// How authorization is enforced; `nil` if the mode was not checked.
  package var mode: Mode?
  /// The access of this user; `nil` without a daemon.
  package var permission: Permission?
  /// The reason why the system's service has failed; `nil` if it has not failed, or without systemd.
  package var serviceFailure: String?
  /// The board's configuration, rules and decisions.
  package var board = Board()
  /// The daemon's error about its state directory, with the remedy; `nil` without an error.
  package var stateFault: String?
  /// The daemon's plugins and servers that do not work.
  package var outages: [Outage] = []
  /// The error of the system clock; `nil` if it is not known to be wrong.
  package var clockError: SystemClockError?
  /// The daemon's source.
  package var daemonSource = DaemonSource()
  /// The mount option that hides processes from the daemon; `nil` if the daemon sees all of them.
  package var hiding: ProcessHiding?
  /// The users in the groups that may read receivers, by group name.
  package var members: [String: [String]] = [:]
  /// The number of processes whose open files this user may not see.
  package var unreadableProcessCount = 0
  /// The name of the user who runs the doctor, for the commands in remedies.
  package var user = "USER"

  package init() {}
}

extension DoctorSnapshot {
  /// Examines this system, without opening a receiver.
  ///
  /// `root` precedes the paths of the board's serial ports and consoles.
  package static func ofThisSystem(
    gpsdPort: UInt16 = GPSDAddress.defaultPort, root: String = "",
    socketPath: String = DaemonAddress.defaultSocketPath
  ) -> DoctorSnapshot {
    var snapshot = DoctorSnapshot()
    let finder = BoardPortFinder(root: root)
    (snapshot.boardPorts, snapshot.consoleTools) = (finder.ports, finder.tools)
    snapshot.portClaimants = PortClaimantFinder(root: root).claimants
    let events = UDevReceivers().present()
    for case .unavailable(let reason) in events { snapshot.discoveryFailure = "\(reason)" }
    let discovered = events.compactMap(receiver)
    let holders = PortHolders(of: discovered.map(\.receiver.devnode))
    snapshot.unreadableProcessCount = holders.unreadableProcessCount
    let configuration = GPSDConfiguration.installed()
    snapshot.gpsdPort = gpsdPort
    snapshot.gpsd = GPSDProbe(port: gpsdPort).presence()
    snapshot.devices = discovered.map { role, receiver -> Device in
      var device = Device(
        devnode: receiver.devnode, model: receiver.modelName, role: role,
        isReadable: access(receiver.devnode, R_OK) == 0, group: group(of: receiver.devnode),
        holders: holders.holders(of: receiver.devnode).map { "\($0.program) (\($0.processID))" },
        stablePath: receiver.stablePath(among: discovered.map(\.receiver)),
        isConfiguredForGPSD: configuration.claims(receiver),
        isListedByGPSD: snapshot.gpsd.has(receiver))
      device.isWorldReadable = isWorldReadable(receiver.devnode)
      device.isIgnoredByModemManager = PortClaimantFinder.isIgnored(receiver.devnode)
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
    snapshot.clockError = SystemClockError(system: SystemClock.utcNow(), receiver: nil, at: .now())
    if let name = getpwuid(getuid())?.pointee.pw_name { snapshot.user = String(cString: name) }
    return snapshot
  }

  /// Returns the groups that may read receivers.
  ///
  /// Includes the groups of the present receivers. If a daemon is running, also includes `dialout`,
  /// Debian's group for serial devices, since a receiver may be connected at any time.
  static func groups(_ snapshot: DoctorSnapshot) -> Set<String> {
    let present = snapshot.devices.filter { $0.role == .receiver }.compactMap(\.group)
    return Set(present + (snapshot.isEnforced ? ["dialout"] : []))
  }

  /// Whether root owns the socket; the daemon then runs as root and sees every process.
  private static func belongsToRoot(_ socketPath: String) -> Bool {
    var status = stat()
    return stat(socketPath, &status) == 0 && status.st_uid == 0
  }

  /// Whether a user is listed as a member of the group with this number.
  static func isMember(_ user: String, of group: UInt32) -> Bool {
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

  /// Returns the members of a group in /etc/group, without root and the daemon's user.
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
