// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension SourceGroup {
  /// A source to run.
  public enum Member: Sendable {
    /// All receivers plugged in now or later, and the gpsd of this host.
    case pluggedIn
    /// A serial port that the user has named; read even if gpsd's configuration claims the port.
    ///
    /// With `allowsMissingChecksum`, sentences without a checksum are accepted, too.
    case serial(devnode: String, baud: Int?, allowsMissingChecksum: Bool = false)
    /// A gpsd.
    case gpsd(GPSDAddress)
    /// Any other source. ``SourceGroup/replace(_:)`` identifies the source by `id`, or by the
    /// source's name if `id` is `nil`.
    case other(any FixSource, id: String? = nil)
  }

  /// An event of a group.
  package enum Event: Equatable, Sendable {
    /// The sources were set or replaced; `name` is the joined name of the new sources.
    ///
    /// The losses of removed sources follow this event.
    case started(name: String)
    case source(FixSourceEvent)
    /// All sources have ended permanently, with these failures.
    case ended(failures: [String])
  }

  /// The error of a run whose sources have all ended, some of them with a failure.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The failures, one line each.
    public let failures: [String]
    /// The failures in one line.
    public var description: String { failures.joined(separator: "; ") }
  }
}

/// The requested sources of a group.
struct SourceRequest: Sendable {
  let members: [SourceGroup.Member]
  /// The plans of the named sources, in the requested order.
  let plans: [SourcePlan]
  /// Whether discovered receivers are added automatically.
  let autodetects: Bool
  /// The sources supplied by the caller, by the keys of their plans.
  let others: [String: any FixSource]
  /// The names of the sources; `auto` denotes the discovered receivers.
  let name: String

  init(_ members: [SourceGroup.Member]) {
    self.members = members
    var (others, counts) = ([String: any FixSource](), [String: Int]())
    plans = members.compactMap { member in
      switch member {
      case .pluggedIn: return nil
      case .serial(let devnode, let baud, let allowsMissingChecksum):
        return .serial(
          devnode: devnode, baud: baud, requiresValidation: false,
          allowsMissingChecksum: allowsMissingChecksum)
      case .gpsd(let address): return .gpsd(address)
      case .other(let source, let id):
        let id = id ?? source.name
        let count = counts[id, default: 0] + 1
        counts[id] = count
        let key = count > 1 ? "\(id) #\(count)" : id
        others[key] = source
        return .other(key: key, name: source.name)
      }
    }
    autodetects = members.contains { if case .pluggedIn = $0 { true } else { false } }
    self.others = others
    name = ((autodetects ? ["auto"] : []) + plans.map(\.name)).joined(separator: ", ")
  }

  /// Returns the policy for the discovery with the named ports, or `nil` if no discovery is needed.
  ///
  /// Devices keep their names, and ports stay in use, in whatever order devices are reported.
  func discoveryPolicy(_ base: DiscoveryPolicy, _ present: PresentReceivers) -> DiscoveryPolicy? {
    let ports = plans.filter(\.isPort).map(\.name)
    guard autodetects || !ports.isEmpty else { return nil }
    var policy = base
    policy.named.formUnion(ports)
    (policy.names, policy.portsInUse) = (present.names, present.portsInUse)
    return policy
  }
}
