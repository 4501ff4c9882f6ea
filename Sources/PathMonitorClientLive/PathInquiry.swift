// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// What is asked about the network, and by what rules the answer is judged.
struct PathInquiry: Sendable {
  var destination: PathDestination
  var rules = PathRules()
  /// Where the name servers are, by an absolute path.
  var resolverFile = "/etc/resolv.conf"
  /// What a driver calls its interface.
  var deviceType: @Sendable (_ name: String) -> String? = { DeviceType.of($0) }
  /// What bytes cost over the default route.
  var metered: @Sendable () -> Metered = { NetworkManager.ofThisSystem.metered() }

  /// Reads everything and decides what it means.
  func path(_ reader: inout NetlinkReader) throws(NetlinkError) -> NetworkPath {
    var snapshot = try reader.snapshot(to: destination)
    snapshot.hasNameserver = ResolverConfiguration.hasNameserver(path: resolverFile)
    // Who is down is not asked what it is: its type would change nothing.
    for index in snapshot.links.indices where snapshot.links[index].isUp {
      snapshot.links[index].deviceType = deviceType(snapshot.links[index].name)
    }
    let path = NetworkPath(snapshot, to: destination, rules: rules)
    guard snapshot.without(rules.ignored).isDefault(path) else { return path }
    snapshot.metered = metered()
    return NetworkPath(snapshot, to: destination, rules: rules)
  }
}
