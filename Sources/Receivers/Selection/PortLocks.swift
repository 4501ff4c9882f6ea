// SPDX-License-Identifier: Apache-2.0

/// Which run has which port: one at a time, by whatever name it was asked for.
///
/// Exclusive use does not bind root, and ends with the descriptor that asked for it, also where
/// another has asked since.
struct PortLocks: Sendable {
  /// Whether a run may open its port.
  enum Turn: Equatable, Sendable {
    /// At once.
    case free
    /// As soon as a run that is over has closed it.
    case after(run: Int)
    /// Another run reads it, under that name.
    case taken(name: String)
  }

  private struct Holder {
    var run: Int
    var name: String
  }

  /// By where each name leads.
  private var holders: [String: Holder] = [:]

  /// Asks for a port.
  ///
  /// - Parameters:
  ///   - path: Where the name leads, through all links.
  ///   - run: The run that asks.
  ///   - name: The name that it was given.
  ///   - isFinished: Whether another run is to end, or has ended.
  /// - Returns: Whether it may be opened; it is this run's then until it is released.
  mutating func take(
    _ path: String, for run: Int, named name: String, isFinished: (Int) -> Bool
  ) -> Turn {
    let before = holders[path]
    if let before, !isFinished(before.run) { return .taken(name: before.name) }
    holders[path] = Holder(run: run, name: name)
    return before.map { .after(run: $0.run) } ?? .free
  }

  /// Takes it that a run has closed its port.
  mutating func release(_ run: Int) { holders = holders.filter { $0.value.run != run } }
}
