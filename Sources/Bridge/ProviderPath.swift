// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import PathMonitorClient
internal import PathMonitorClientLive
internal import WeatherClient
public import WeatherClientLive

/// A provider and the path to it, of which the one tells of the other.
///
/// What becomes of a lookup is the truth about the path, so that whoever listens to the path is
/// told; nothing is asked for that alone.
struct ProviderPath: Sendable {
  /// The provider.
  let client: WeatherClient
  /// The path to it, with what became of the last lookup.
  let monitor: PathMonitorClient

  /// Makes both.
  ///
  /// - Parameters:
  ///   - client: The provider.
  ///   - baseURL: Where it is.
  ///   - rules: What the configuration says about interfaces.
  init(_ client: WeatherClient, at baseURL: String, rules: PathRules = PathRules()) {
    let host = URL(string: baseURL)?.host() ?? ""
    self.init(client, monitor: .live(to: PathDestination(host: host), rules: rules))
  }

  init(_ client: WeatherClient, monitor: PathMonitorClient) {
    let evidence = PathEvidence(monitor)
    self.client = client.observed {
      let tell = evidence.requestBegins()
      return { tell(NetworkPath.Verification($0)) }
    }
    self.monitor = evidence.monitor
  }
}

extension NetworkPath.Verification {
  /// What became of a request, without its details.
  public init(_ outcome: PathVerifier.Outcome) {
    self =
      switch outcome {
      case .verified: .yes
      case .portal: .portal
      case .upstreamDead: .upstreamDead
      case .dnsFailing: .dnsFailing
      }
  }
}
