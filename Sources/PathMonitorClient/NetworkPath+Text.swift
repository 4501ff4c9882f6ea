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

extension NetworkPath {
  /// The path in one line, for people: status, why, over what, and what it costs.
  public var text: String {
    var text = status.rawValue
    if !interfaces.isEmpty {
      text +=
        " via " + interfaces.map { "\($0.name) (\($0.kind.rawValue))" }.joined(separator: ", ")
    }
    if let reason { text += ": \(reason.text)" }
    if isSatisfied { text += isExpensive ? ", metered" : ", not metered" }
    if isConstrained { text += ", bytes to be saved" }
    return text
  }
}
