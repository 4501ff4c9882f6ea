// SPDX-License-Identifier: Apache-2.0

/// The state of the network path to a destination, in the terms of `NWPath`.
///
/// A path is a hint, based on the kernel's configuration; only a request shows whether the
/// destination can be reached.
public struct NetworkPath: Equatable, Hashable, Sendable {
  /// The usability of a path.
  public enum Status: String, Hashable, Sendable {
    /// There is a route.
    case satisfied
    /// There is no route.
    case unsatisfied
    /// There is no route until a connection is dialed.
    ///
    /// The monitors of this package never report this status, because the kernel has no information
    /// about modems that could dial; they report ``unsatisfied`` with a reason. This status exists
    /// for scripts and other monitors. Treat this status like ``unsatisfied``.
    case requiresConnection
  }

  /// The reason why a path is not satisfied, or a limitation of a satisfied path.
  public enum Reason: String, Hashable, Sendable {
    /// No interface except loopback is up.
    case noInterface
    /// Interfaces are up, but none of a type that the monitor permits.
    case noPermittedInterface
    /// No interface has a carrier: the cable is unplugged, or no wireless station is in range.
    case noCarrier
    /// No running interface has an address.
    case noAddress
    /// There are addresses, but no route to the destination.
    case noDefaultRoute
    /// There are only link-local addresses.
    case linkLocalOnly
    /// There is a route, but no name server; the path is satisfied.
    case dnsMissing
    /// The kernel could not be queried; the path is treated as satisfied.
    case unknown
  }

  /// The result of a request over a path.
  public enum Verification: String, Hashable, Sendable {
    /// The destination answered.
    case yes
    /// Another server answered, such as a captive portal.
    case portal
    /// No response came from beyond the next hop.
    case upstreamDead
    /// A name could not be resolved.
    case dnsFailing
  }

  /// An interface of a path.
  public struct Interface: Equatable, Hashable, Sendable {
    /// The kind of an interface.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// A cable.
      case wired
      /// A wireless network.
      case wifi
      /// A mobile network.
      case cellular
      /// The loopback interface.
      case loopback
      /// A tunnel, a bridge or a virtual Ethernet pair.
      case virtual
      /// An interface of any other kind.
      case other
    }

    /// The kernel's name, such as `eth0`.
    public var name: String
    /// The kind.
    public var kind: Kind

    /// Makes an interface.
    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// The usability of the path.
  public var status: Status
  /// The reason why the path is not satisfied, or a limitation of a satisfied path.
  public var reason: Reason?
  /// The error if the kernel could not be queried, such as `socket: Operation not permitted`.
  public var cause: String?
  /// The interfaces, the preferred one first.
  public var interfaces: [Interface] = []
  /// Whether the connection is metered.
  public var isExpensive = false
  /// Whether ``isExpensive`` is known; if not, ``isExpensive`` is false and has no meaning.
  public var isCostKnown = false
  /// Whether programs should save data, as configured for the interface.
  public var isConstrained = false
  /// Whether there is a route for IPv4.
  public var supportsIPv4 = false
  /// Whether there is a route for IPv6.
  public var supportsIPv6 = false
  /// Whether a name server is configured.
  public var supportsDNS = false
  /// The result of the last request over this path; `nil` if none has been made.
  ///
  /// Unlike the status, the result is a fact, not a hint. Do not stop making requests because of a
  /// failure: only another request shows that the state has changed.
  public var verified: Verification?
  /// Whether the path is from a script and not from the kernel.
  public var isScripted = false

  /// Makes a path with a status, a reason and no other values.
  public init(status: Status, reason: Reason? = nil) {
    self.status = status
    self.reason = reason
  }

  /// Whether the status is satisfied.
  public var isSatisfied: Bool { status == .satisfied }
}

extension NetworkPath.Reason {
  /// A short text for the reason.
  public var text: String {
    switch self {
    case .noInterface: "no interface is up"
    case .noPermittedInterface: "no interface of a permitted type is up"
    case .noCarrier: "no carrier: cable unplugged, or no wireless station in range"
    case .noAddress: "no running interface has an address"
    case .noDefaultRoute: "no route to the destination"
    case .linkLocalOnly: "only link-local addresses"
    case .dnsMissing: "no name server is configured"
    case .unknown: "cannot query the kernel; assuming a connection"
    }
  }
}

extension NetworkPath.Verification {
  /// A short text for the result.
  public var text: String {
    switch self {
    case .yes: "the last request succeeded"
    case .portal: "a captive portal answers: a login or payment is required"
    case .upstreamDead: "no answer from beyond the next hop"
    case .dnsFailing: "name resolution fails"
    }
  }
}

extension NetworkPath {
  /// The path as one line: status, interfaces, reason, cost and the result of the last request.
  public var text: String {
    var text = status.rawValue
    if !interfaces.isEmpty {
      text +=
        " via " + interfaces.map { "\($0.name) (\($0.kind.rawValue))" }.joined(separator: ", ")
    }
    if let reason { text += ": \(reason.text)" }
    if let cause { text += " (\(cause))" }
    if isSatisfied, isExpensive || isCostKnown {
      text += isExpensive ? ", metered" : ", not metered"
    }
    if isConstrained { text += ", low data mode" }
    if let verified { text += "; \(verified.text)" }
    return text
  }
}
