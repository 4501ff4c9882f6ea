// SPDX-License-Identifier: Apache-2.0

/// What finding receivers has told to be there, so that nothing that goes is missed while it begins
/// anew.
struct PresentReceivers: Equatable, Sendable {
  private var bySyspath: [String: DiscoveredReceiver] = [:]
  /// Those that the one before has told of, and this one has not yet.
  private var untold: Set<String> = []

  /// Those of them that are to be used, by syspath.
  private var usedSyspaths: Set<String> = []

  /// Those that are to be used, in order of their syspaths.
  var found: [DiscoveredReceiver] { usedSyspaths.sorted().compactMap { bySyspath[$0] } }

  /// Which port of a receiver with several is used, by the USB device, where it is one alone.
  var portsInUse: [String: String] {
    let ports = found.filter { $0.role == .receiver && $0.device.usbSyspath != nil }
    return Dictionary(grouping: ports) { $0.device.usbSyspath ?? "" }.compactMapValues {
      $0.count == 1 ? $0.first?.device.syspath : nil
    }
  }

  /// What they are called, by syspath.
  var names: [String: String] { bySyspath.mapValues(\.name) }

  /// All that is there is told again from here on.
  mutating func beginAnew() { untold = Set(bySyspath.keys) }

  /// Takes what is told.
  ///
  /// Returns what has gone without a word: all has been told, and that was not.
  mutating func take(_ event: DiscoveryEvent) -> [DiscoveredReceiver] {
    switch event {
    // It is told again when udev has run its rules, and has no name before.
    case .ignored(_, .uninitialized): return []
    case .found(let receiver), .candidate(let receiver), .ignored(let receiver, _):
      bySyspath[receiver.device.syspath] = receiver
      if case .found = event {
        usedSyspaths.insert(receiver.device.syspath)
      } else {
        usedSyspaths.remove(receiver.device.syspath)
      }
      untold.remove(receiver.device.syspath)
      return []
    case .gone(let receiver):
      bySyspath[receiver.device.syspath] = nil
      usedSyspaths.remove(receiver.device.syspath)
      untold.remove(receiver.device.syspath)
      return []
    // Where udev does not run, what is there was told all the same.
    case .settled, .unavailable(.notRunning):
      defer { untold = [] }
      usedSyspaths.subtract(untold)
      return untold.sorted().compactMap { bySyspath.removeValue(forKey: $0) }
    case .unavailable(.failed): return []
    }
  }
}
