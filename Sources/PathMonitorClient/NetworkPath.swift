// SPDX-License-Identifier: Apache-2.0

/// Whether and how the network can be reached, with the words of `NWPath`.
///
/// A hint and a trigger, never a promise: whether a request gets out, only the request can tell.
public struct NetworkPath: Equatable, Hashable, Sendable {
  /// Whether connections can be tried.
  public enum Status: String, Hashable, Sendable {
    /// There is a route to try.
    case satisfied
    /// There is none.
    case unsatisfied
    /// There is none until someone dials.
    ///
    /// No monitor of this package says so: the kernel has no word for a modem that would dial, so
    /// that such a board is unsatisfied with a reason. It is there for scripts and for monitors
    /// of others, which may know; it counts like unsatisfied.
    case requiresConnection
  }

  /// Why a path is not satisfied, or how little is known of one that is.
  public enum Reason: String, Hashable, Sendable {
    /// No interface but the loopback one.
    case noInterface
    /// No interface has a carrier: cable pulled, no station.
    case noCarrier
    /// No interface that runs has an address.
    case noAddress
    /// Addresses, but no route to where it should go.
    case noDefaultRoute
    /// Only addresses that reach no further than the link.
    case linkLocalOnly
    /// A route, but nobody to ask for names. The path is satisfied still.
    case dnsMissing
    /// The network could not be asked. Treated as satisfied.
    case unknown
  }

  /// What a request has found out about a path.
  public enum Verification: String, Hashable, Sendable {
    /// It got out, and the right one answered.
    case yes
    /// Somebody else answered, such as a page that wants a password or a payment.
    case portal
    /// Nobody answered behind the next hop.
    case upstreamDead
    /// Nobody told the address of a name.
    case dnsFailing
  }

  /// One interface of a path.
  public struct Interface: Equatable, Hashable, Sendable {
    /// What carries it.
    public enum Kind: String, Hashable, Sendable {
      /// A cable.
      case wired
      /// A wireless network.
      case wifi
      /// A mobile network.
      case cellular
      /// The board itself.
      case loopback
      /// Tunnels, bridges and pairs.
      case virtual
      /// Anything else.
      case other
    }

    /// The kernel's name, such as `eth0`.
    public var name: String
    /// What carries it.
    public var kind: Kind

    /// Makes an interface.
    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// Whether connections can be tried.
  public var status: Status
  /// Why not; or, with a satisfied path, what is wrong or unknown about it.
  public var reason: Reason?
  /// What was said where the network could not be asked, such as `socket: Operation not permitted`.
  public var cause: String?
  /// The interfaces, the preferred first.
  public var interfaces: [Interface] = []
  /// Whether bytes cost money.
  public var isExpensive = false
  /// Whether somebody has said so: without a word ``isExpensive`` is false, and nothing follows.
  public var isCostKnown = false
  /// Whether bytes are to be saved.
  public var isConstrained = false
  /// Whether there is a route for IPv4.
  public var supportsIPv4 = false
  /// Whether there is a route for IPv6.
  public var supportsIPv6 = false
  /// Whether there is someone to ask for names.
  public var supportsDNS = false
  /// What the last request over this path has found out; `nil` where none has been made.
  ///
  /// The truth, where the status is a hint. It closes no way: without another request nobody would
  /// learn of the day when it has changed.
  public var verified: Verification?
  /// Whether a script says so instead of the kernel.
  public var isScripted = false

  /// Makes a path of which only the status is known.
  ///
  /// - Parameters:
  ///   - status: Whether connections can be tried.
  ///   - reason: Why not.
  public init(status: Status, reason: Reason? = nil) {
    self.status = status
    self.reason = reason
  }

  /// Whether connections can be tried now.
  public var isSatisfied: Bool { status == .satisfied }
}

extension NetworkPath.Reason {
  /// The reason in a few words, for people.
  public var text: String {
    switch self {
    case .noInterface: "no interface is up"
    case .noCarrier: "no carrier: a cable is out, or no station is near"
    case .noAddress: "no interface that runs has an address"
    case .noDefaultRoute: "no route to where it should go"
    case .linkLocalOnly: "only addresses that reach no further than the link"
    case .dnsMissing: "no name server is configured"
    case .unknown: "the kernel could not be asked, so that a way out is assumed"
    }
  }
}

extension NetworkPath.Verification {
  /// What was found out in a few words, for people.
  public var text: String {
    switch self {
    case .yes: "a request got out"
    case .portal: "somebody else answers: a page that wants a login or a payment"
    case .upstreamDead: "nobody answers behind the next hop"
    case .dnsFailing: "nobody tells the address of a name"
    }
  }
}

extension NetworkPath {
  /// The path in one line, for people: status, why, over what, what it costs, and
  /// what a request has found out.
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
    if isConstrained { text += ", bytes to be saved" }
    if let verified { text += "; \(verified.text)" }
    return text
  }
}
