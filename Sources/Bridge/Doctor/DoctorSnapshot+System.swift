// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient
internal import PathMonitorClientLive
public import Receivers

extension DoctorSnapshot {
  /// Looks at this system; opens no receiver.
  ///
  /// - Parameter gpsdPort: The port at which to look for gpsd.
  /// - Returns: What there is.
  public static func ofThisSystem(
    gpsdPort: UInt16 = GPSDAddress.defaultPort
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
    snapshot.devices = found.map { role, receiver in
      Device(
        devnode: receiver.devnode, model: receiver.modelName, role: role,
        isReadable: access(receiver.devnode, R_OK) == 0, group: group(of: receiver.devnode),
        holders: holders.holders(of: receiver.devnode).map { "\($0.program) (\($0.processID))" },
        consent: receiver.consent, isConfiguredForGPSD: configuration.claims(receiver),
        isListedByGPSD: snapshot.gpsd.has(receiver))
    }
    snapshot.rules = rules()
    snapshot.rulesFolder = rulesSource(program: programPath())
    snapshot.path = NetworkPath.present()
    if let name = getpwuid(getuid())?.pointee.pw_name { snapshot.user = String(cString: name) }
    return snapshot
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

  private static func group(of devnode: String) -> String? {
    var status = stat()
    guard stat(devnode, &status) == 0, status.st_mode & S_IRGRP != 0,
      let entry = getgrgid(status.st_gid),
      let name = entry.pointee.gr_name
    else { return nil }
    return String(cString: name)
  }
}
