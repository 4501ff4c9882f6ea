// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient

/// Rules for interfaces, from the configuration.
///
/// Each rule is a list of shell patterns for names, such as `docker*`. By default no interface is
/// ignored: ignoring virtual interfaces would fail on boards whose only connection is a tunnel or a
/// USB modem.
public struct PathRules: Equatable, Sendable {
  /// Interfaces to ignore.
  public var ignored: [String]
  /// Interfaces that are always metered.
  public var expensive: [String]
  /// Interfaces that are never metered; this list takes precedence over ``expensive``.
  public var inexpensive: [String]
  /// Interfaces on which programs should save data.
  public var constrained: [String]
  /// The types of interface that are considered; `nil` for all types.
  ///
  /// Not public, because it applies only to the path to the internet: for other destinations, the
  /// kernel reports a single route, whatever the type of its interface.
  var permittedTypes: Set<NetworkPath.Interface.Kind>?

  /// Makes rules.
  public init(
    ignored: [String] = [], expensive: [String] = [], inexpensive: [String] = [],
    constrained: [String] = []
  ) {
    self.ignored = ignored
    self.expensive = expensive
    self.inexpensive = inexpensive
    self.constrained = constrained
  }

  /// Returns the rules for a path over interfaces of one type.
  func requiring(_ type: NetworkPath.Interface.Kind) -> PathRules {
    var rules = self
    rules.permittedTypes = [type]
    return rules
  }

  /// Returns the rules for a path over interfaces of all types but the given ones.
  func prohibiting(_ types: [NetworkPath.Interface.Kind]) -> PathRules {
    var rules = self
    rules.permittedTypes = Set(NetworkPath.Interface.Kind.allCases).subtracting(types)
    return rules
  }

  /// Returns whether a name matches one of the patterns.
  static func matches(_ name: String, _ patterns: [String]) -> Bool {
    patterns.contains { fnmatch($0, name, 0) == 0 }
  }
}
