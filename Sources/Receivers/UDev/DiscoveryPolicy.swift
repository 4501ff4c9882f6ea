// SPDX-License-Identifier: Apache-2.0

/// What the configuration says about finding receivers.
public struct DiscoveryPolicy: Equatable, Sendable {
  /// Devices to use whatever they are, by devnode, link or stable name: naming one is consent.
  public var named: Set<String> = []
  /// Whether converters that nobody has named may be listened to, to see whether a receiver talks.
  public var listensToCandidates = false
  /// Devices to leave alone whatever they are, by devnode, link or stable name.
  public var excluded: Set<String> = []
  /// The names that devices have from before, by syspath, and keep as long as they are there.
  var names: [String: String] = [:]
  /// Which port of a receiver with several is used from before, by the USB device.
  var portsInUse: [String: String] = [:]

  /// Makes a policy; without arguments, the one that opens known receivers only.
  ///
  /// - Parameters:
  ///   - named: Devices to use whatever they are.
  ///   - listensToCandidates: Whether converters that nobody has named may be listened to.
  ///   - excluded: Devices to leave alone whatever they are.
  public init(
    named: Set<String> = [], listensToCandidates: Bool = false, excluded: Set<String> = []
  ) {
    self.named = named
    self.listensToCandidates = listensToCandidates
    self.excluded = excluded
  }
}
