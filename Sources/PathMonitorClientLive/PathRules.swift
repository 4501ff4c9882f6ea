// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a configuration says about interfaces, by their names.
///
/// Patterns are those of the shell, such as `docker*`. Without any, nothing is left out: a filter
/// for "virtual" names would lose boards whose only way out is a tunnel or a USB modem.
public struct PathRules: Equatable, Sendable {
  /// Interfaces that count as absent.
  public var ignored: [String]
  /// Interfaces whose bytes cost money, whatever they are.
  public var expensive: [String]
  /// Interfaces whose bytes cost none, whatever they look like and NetworkManager says.
  public var inexpensive: [String]
  /// Interfaces whose bytes are to be saved.
  public var constrained: [String]

  /// Makes rules; by default none, so that the kernel's word stands.
  ///
  /// - Parameters:
  ///   - ignored: Interfaces that count as absent.
  ///   - expensive: Interfaces whose bytes cost money.
  ///   - inexpensive: Interfaces whose bytes cost none; stronger than `expensive`.
  ///   - constrained: Interfaces whose bytes are to be saved.
  public init(
    ignored: [String] = [], expensive: [String] = [], inexpensive: [String] = [],
    constrained: [String] = []
  ) {
    self.ignored = ignored
    self.expensive = expensive
    self.inexpensive = inexpensive
    self.constrained = constrained
  }

  /// Whether one of the patterns is a name's.
  static func matches(_ name: String, _ patterns: [String]) -> Bool {
    patterns.contains { fnmatch($0, name, 0) == 0 }
  }
}
