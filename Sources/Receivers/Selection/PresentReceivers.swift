// SPDX-License-Identifier: Apache-2.0

/// The devices that the discovery has reported.
///
/// Detects devices that are removed while the discovery restarts; no event reports their removal.
struct PresentReceivers: Equatable, Sendable {
  private var bySyspath: [String: DiscoveredReceiver] = [:]
  /// The syspaths of the devices that were reported before the discovery restarted, but not since.
  private var unconfirmed: Set<String> = []

  /// The syspaths of the devices reported as found.
  private var usedSyspaths: Set<String> = []
  /// The syspaths of the candidates that were reported since the discovery restarted.
  private var candidateSyspaths: Set<String> = []
  /// Why new devices cannot be detected; `nil` if they can.
  private(set) var notice: String?

  /// All devices, also those that are not used.
  var all: [DiscoveredReceiver] { Array(bySyspath.values) }

  /// The converters that may not be opened without the user's consent, ordered by name; at most as
  /// many as there can be sources.
  var candidates: [DiscoveredReceiver] {
    let all = candidateSyspaths.compactMap { bySyspath[$0] }.sorted { $0.name < $1.name }
    return Array(all.prefix(SourceMembers.limit))
  }

  /// The devices reported as found, ordered by syspath.
  var found: [DiscoveredReceiver] { usedSyspaths.sorted().compactMap { bySyspath[$0] } }

  /// The syspath of the used port of each receiver, by the syspath of its USB device.
  ///
  /// Omits USB devices of which several ports are in use.
  var portsInUse: [String: String] {
    let ports = found.filter { $0.role == .receiver && $0.device.usbSyspath != nil }
    return Dictionary(grouping: ports) { $0.device.usbSyspath ?? "" }.compactMapValues {
      $0.count == 1 ? $0.first?.device.syspath : nil
    }
  }

  /// The stable names of the devices, by syspath.
  var names: [String: String] { bySyspath.mapValues(\.name) }

  /// Returns the device with a stable name; `nil` if it is not present.
  func receiver(named name: String) -> DiscoveredReceiver? {
    bySyspath.values.first { $0.name == name }
  }

  /// Marks all devices as unconfirmed, for use when the discovery restarts.
  mutating func restart() { (unconfirmed, candidateSyspaths) = (Set(bySyspath.keys), []) }

  /// Handles an event; returns the devices that were removed during a restart of the discovery.
  ///
  /// The result is empty until the restarted discovery has reported all present devices.
  mutating func take(_ event: DiscoveryEvent) -> [DiscoveredReceiver] {
    switch event {
    // The device has no stable name yet; it is reported again after udev has run its rules.
    case .ignored(let receiver, .uninitialized):
      candidateSyspaths.remove(receiver.device.syspath)
      return []
    case .found(let receiver), .candidate(let receiver), .ignored(let receiver, _):
      forget(receiver.device.syspath)
      bySyspath[receiver.device.syspath] = receiver
      if case .found = event { usedSyspaths.insert(receiver.device.syspath) }
      if case .candidate = event { candidateSyspaths.insert(receiver.device.syspath) }
      return []
    case .gone(let receiver):
      forget(receiver.device.syspath)
      return []
    case .settled, .unavailable(.notRunning):
      // Without udevd, `notRunning` instead of `settled` ends the reports of the present devices.
      if case .unavailable(let reason) = event { notice = "\(reason)" } else { notice = nil }
      defer { unconfirmed = [] }
      usedSyspaths.subtract(unconfirmed)
      return unconfirmed.sorted().compactMap { bySyspath.removeValue(forKey: $0) }
    case .unavailable(let reason):
      notice = "\(reason)"
      return []
    }
  }

  private mutating func forget(_ syspath: String) {
    bySyspath[syspath] = nil
    unconfirmed.remove(syspath)
    usedSyspaths.remove(syspath)
    candidateSyspaths.remove(syspath)
  }
}
