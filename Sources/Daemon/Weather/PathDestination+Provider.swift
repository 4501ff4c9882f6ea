// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClientLive
internal import WeatherClientLive

extension PathDestination {
  /// Where a path has to lead for a request to go out.
  ///
  /// - Parameter hop: Whom the connection is made to.
  init(_ hop: FirstHop) {
    switch hop {
    case .server(let host): self.init(host: host)
    case .proxy(let host):
      let named = PathDestination(host: host)
      // A proxy is there for those without a way out: whatever its name, it may be a neighbour.
      self = named == .internet ? .localNetwork : named
    }
  }
}
