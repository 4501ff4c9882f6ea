// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
package import PathMonitorClient
package import PathMonitorClientLive
internal import Positioning
package import WeatherClient
package import WeatherClientLive

/// A weather client together with a monitor of the network path to its providers.
///
/// The outcome of each lookup is published as the path's verification. No extra request is made to
/// verify the path.
package struct ProviderPath: Sendable {
  package let client: WeatherClient
  /// The path to the providers, verified by the last lookup.
  package let monitor: PathMonitorClient
  /// Returns the number of changes of the clock, the path and the certificates so far.
  package let changeCount: @Sendable () -> UInt64

  /// Monitors the path to the providers of a client.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - baseURLs: The base URLs of the client's providers, in order of preference.
  ///   - rules: The configured interface rules.
  init(_ client: WeatherClient, at baseURLs: [String], rules: PathRules = PathRules()) {
    self.init(client, monitor: .live(toAnyOf: baseURLs, rules: rules))
  }

  /// Uses a monitor of the path to the providers of a client.
  package init(_ client: WeatherClient, monitor: PathMonitorClient) {
    let evidence = PathEvidence(monitor)
    self.init(client, evidence: evidence, conditions: Self.conditions(evidence))
  }

  /// Creates a path whose conditions are also those of the client's service.
  init(
    _ client: WeatherClient, evidence: PathEvidence,
    conditions: @escaping @Sendable () -> LookupConditions
  ) {
    let counter = LookupConditionsCounter(conditions)
    changeCount = { counter.count() }
    self.client = client.observed {
      let report = evidence.beginRequest()
      return { report(NetworkPath.Verification($0)) }
    }
    self.monitor = evidence.monitor
  }

  /// Returns a function that reads the conditions for connections over a path.
  ///
  /// The version of the path is not comparable with versions of another process or monitor.
  static func conditions(
    _ evidence: PathEvidence
  ) -> @Sendable () -> LookupConditions {
    let began = MonotonicTime.now().nanoseconds
    return { .present(path: "\(began)/\(evidence.changeCount)") }
  }
}

extension PathMonitorClient {
  /// Returns a monitor whose path is satisfied if at least one of several providers is reachable.
  ///
  /// A provider on the local network needs no internet access. If the environment names a proxy,
  /// the path to the proxy is monitored instead of the path to the provider. Each destination is
  /// monitored once.
  ///
  /// - Parameters:
  ///   - baseURLs: The base URLs of the providers, in order of preference; if empty, the path to
  ///     the internet is monitored.
  ///   - rules: The configured interface rules.
  /// - Returns: The monitor.
  package static func live(
    toAnyOf baseURLs: [String], rules: PathRules = PathRules()
  ) -> PathMonitorClient {
    var destinations: [PathDestination] = []
    for url in baseURLs {
      // An unusable proxy is reported by the lookup itself.
      let target =
        (try? ConnectionTarget(toURL: url)) ?? .server(host: ProviderURL.host(of: url) ?? "")
      let destination = PathDestination(target)
      if !destinations.contains(destination) { destinations.append(destination) }
    }
    return .any(of: destinations.map { .live(to: $0, rules: rules) }) ?? .live(rules: rules)
  }
}

extension NetworkPath.Verification {
  /// Converts the outcome of a request.
  package init(_ outcome: PathVerifier.Outcome) {
    self =
      switch outcome {
      case .verified: .yes
      case .portal: .portal
      case .upstreamDead: .upstreamDead
      case .dnsFailing: .dnsFailing
      }
  }
}

extension PathDestination {
  /// Converts the host that a request connects to first: the server or a proxy.
  init(_ target: ConnectionTarget) {
    switch target {
    case .server(let host): self.init(host: host)
    case .proxy(let host):
      let destination = PathDestination(host: host)
      // Hosts without internet access use a proxy, so a proxy with any name may be local.
      self = destination == .internet ? .localNetwork : destination
    }
  }
}
