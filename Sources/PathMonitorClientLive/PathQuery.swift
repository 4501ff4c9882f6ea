// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// A query for the path to a destination, with the rules for its evaluation.
struct PathQuery: Sendable {
  var destination: PathDestination
  var rules = PathRules()
  /// The absolute path of the file that lists the name servers.
  var resolverFile = "/etc/resolv.conf"
  /// Returns the device type of an interface.
  var deviceType: @Sendable (_ name: String) -> String? = { DeviceType.of($0) }
  /// Returns whether the default route is metered.
  var metered: @Sendable () -> Metered = { NetworkManager.ofThisSystem.metered() }

  /// Reads the state of the network and returns the path.
  func path(_ reader: inout NetlinkReader) throws(NetlinkError) -> NetworkPath {
    var snapshot = try reader.snapshot(to: destination)
    snapshot.hasNameserver = ResolverConfiguration.hasNameserver(path: resolverFile)
    // Interfaces that are down need no device type.
    for index in snapshot.links.indices where snapshot.links[index].isUp {
      snapshot.links[index].deviceType = deviceType(snapshot.links[index].name)
    }
    let path = NetworkPath(snapshot, to: destination, rules: rules)
    guard snapshot.without(rules.ignored).isDefault(path) else { return path }
    snapshot.metered = metered()
    return NetworkPath(snapshot, to: destination, rules: rules)
  }
}
