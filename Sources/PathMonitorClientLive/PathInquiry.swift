// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// What is asked about the network, and by what rules the answer is judged.
struct PathInquiry: Sendable {
  var destination: PathDestination
  var rules = PathRules()
  /// Whether there is anyone to ask for names.
  var hasNameserver: @Sendable () -> Bool = { ResolverConfiguration.hasNameserver() }
  /// What a driver calls its interface.
  var deviceType: @Sendable (_ name: String) -> String? = { DeviceType.of($0) }

  /// Reads everything and decides what it means.
  func path(_ reader: inout NetlinkReader) throws(NetlinkError) -> NetworkPath {
    let address: [UInt8]? = if case .address(let bytes) = destination { bytes } else { nil }
    var snapshot = try reader.snapshot(routeTo: address)
    snapshot.hasNameserver = hasNameserver()
    // Who is down is not asked what it is: its type would change nothing.
    for index in snapshot.links.indices where snapshot.links[index].isUp {
      snapshot.links[index].deviceType = deviceType(snapshot.links[index].name)
    }
    return NetworkPath(snapshot, to: destination, rules: rules)
  }
}
