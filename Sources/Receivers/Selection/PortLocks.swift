// SPDX-License-Identifier: Apache-2.0

/// Ensures that each port is opened by one run at a time, even under different names.
///
/// The kernel's TIOCEXCL flag is not sufficient: the flag does not affect root, and the first close
/// clears the flag even if another run has set it since.
struct PortLocks: Sendable {
  /// The result of a request for a port.
  enum Outcome: Equatable, Sendable {
    /// The port may be opened at once.
    case free
    /// The port may be opened after this run, which is ending, has closed the port.
    case after(run: Int)
    /// Another run reads the port under this name.
    case taken(name: String)
  }

  private struct Holder {
    var run: Int
    var name: String
  }

  /// The run that has each port, by resolved path.
  private var holders: [String: Holder] = [:]

  /// Requests a port for a run.
  ///
  /// - Parameters:
  ///   - path: The path of the port with all links resolved.
  ///   - run: The requesting run.
  ///   - name: The name of the port in the request.
  ///   - isFinished: Whether another run was stopped or has ended.
  /// - Returns: Whether the port may be opened. If so, the run owns the port until ``release(_:)``.
  mutating func acquire(
    _ path: String, for run: Int, named name: String, isFinished: (Int) -> Bool
  ) -> Outcome {
    let previous = holders[path]
    if let previous, !isFinished(previous.run) { return .taken(name: previous.name) }
    holders[path] = Holder(run: run, name: name)
    return previous.map { .after(run: $0.run) } ?? .free
  }

  /// Releases the port of a run that has closed the port.
  mutating func release(_ run: Int) { holders = holders.filter { $0.value.run != run } }
}
