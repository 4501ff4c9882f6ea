// SPDX-License-Identifier: Apache-2.0

/// The specification of a source in a group.
enum SourcePlan: Equatable, Sendable {
  /// A serial port. With `requiresValidation`, nothing is delivered before two valid sentences.
  /// Only a named port may allow sentences without a checksum.
  case serial(
    devnode: String, baud: Int?, requiresValidation: Bool, allowsMissingChecksum: Bool = false)
  case gpsd(GPSDAddress)
  /// A source supplied by the caller, with a key that is unique in its group.
  case other(key: String, name: String)

  /// The name for messages.
  var name: String {
    switch self {
    case .serial(let devnode, _, _, _): devnode
    case .gpsd(let address): "gpsd:\(address)"
    case .other(_, let name): name
    }
  }

  /// The source name set in every fix; `nil` for gpsd, which has several receivers.
  var fixName: String? { if case .gpsd = self { nil } else { name } }

  /// The unique key of the plan in its group.
  var key: String { if case .other(let key, _) = self { key } else { name } }

  /// Returns the plan for a discovered receiver.
  static func pluggedIn(_ receiver: DiscoveredReceiver) -> SourcePlan {
    let requiresValidation = receiver.requiresValidation || receiver.role == .modemPort
    return .serial(devnode: receiver.devnode, baud: nil, requiresValidation: requiresValidation)
  }

  /// Whether the plan specifies the receiver's port, by devnode, link or stable name.
  func refers(to receiver: DiscoveredReceiver) -> Bool {
    guard case .serial(let devnode, _, _, _) = self else { return false }
    return receiver.device.hasName(devnode) || receiver.name == devnode
  }

  var requiresValidation: Bool {
    if case .serial(_, _, let requiresValidation, _) = self { requiresValidation } else { false }
  }

  var isPort: Bool { if case .serial = self { true } else { false } }
}
