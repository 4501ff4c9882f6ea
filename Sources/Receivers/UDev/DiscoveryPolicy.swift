// SPDX-License-Identifier: Apache-2.0

/// The configured rules for using discovered devices.
public struct DiscoveryPolicy: Equatable, Sendable {
  /// Devices to use regardless of their classification, by devnode, link or stable name.
  public var named: Set<String> = []
  /// Whether to open converters that are not named, to detect attached receivers.
  public var opensCandidates = false
  /// Devices never to use, by devnode, link or stable name.
  public var excluded: Set<String> = []
  /// Names assigned by a previous discovery, by syspath.
  ///
  /// A device keeps its name until it is removed.
  var names: [String: String] = [:]
  /// The ports used by a previous discovery: syspath of the port by syspath of its USB device.
  var portsInUse: [String: String] = [:]

  /// Makes a policy; without arguments, the policy allows known receivers only.
  public init(
    named: Set<String> = [], opensCandidates: Bool = false, excluded: Set<String> = []
  ) {
    self.named = named
    self.opensCandidates = opensCandidates
    self.excluded = excluded
  }
}
