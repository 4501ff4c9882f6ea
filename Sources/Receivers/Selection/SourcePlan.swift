// SPDX-License-Identifier: Apache-2.0

/// What a run of a source in a group reads.
enum SourcePlan: Equatable, Sendable {
  /// A port; one that needs proof delivers nothing before two valid sentences.
  case serial(devnode: String, baud: Int?, requiresValidation: Bool)
  case gpsd(GPSDAddress)
  /// A source that was handed in, with a key that is unique in its group.
  case other(key: String, name: String)

  /// The name under which its fixes travel, where there is only one.
  var fixName: String? {
    switch self {
    case .serial(let devnode, _, _): devnode
    case .gpsd: nil
    case .other(_, let name): name
    }
  }

  /// The unique name of the plan in its group.
  var key: String { if case .other(let key, _) = self { key } else { name } }

  /// How a receiver that is plugged in is read.
  static func pluggedIn(_ receiver: DiscoveredReceiver) -> SourcePlan {
    let requiresValidation = receiver.mustProveItself || receiver.role == .modemPort
    return .serial(devnode: receiver.devnode, baud: nil, requiresValidation: requiresValidation)
  }

  /// Whether it names a receiver's port, by any of its names.
  func calls(_ receiver: DiscoveredReceiver) -> Bool {
    guard case .serial(let devnode, _, _) = self else { return false }
    return receiver.device.isCalled(devnode) || receiver.name == devnode
  }

  var isPort: Bool { if case .serial = self { true } else { false } }

  /// The name in messages.
  var name: String {
    switch self {
    case .serial(let devnode, _, _): devnode
    case .gpsd(let address): "gpsd:\(address)"
    case .other(_, let name): name
    }
  }
}
