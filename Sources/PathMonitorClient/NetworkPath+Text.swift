// SPDX-License-Identifier: Apache-2.0

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
