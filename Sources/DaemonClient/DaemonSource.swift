// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The daemon as a source of fixes alone, for programs that decide by themselves as well.
public struct DaemonSource: FixSource {
  /// The name of the source.
  public var name: String { "daemon:\(client.address)" }

  private let client: DaemonClient
  private let purpose: String

  /// Makes a source; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - client: Speaks to the daemon.
  ///   - purpose: What for; where nobody has decided about this program, that is asked for.
  public init(_ client: DaemonClient, purpose: String) {
    self.client = client
    self.purpose = purpose
  }

  /// Delivers what the daemon tells, until the task is cancelled.
  ///
  /// - Parameter deliver: Takes each event.
  /// - Throws: Nothing: a daemon that is away is waited for.
  public func run(
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async throws(Never) {
    await DaemonSession(client, purpose: purpose, assuming: nil).run(delivering: deliver)
  }
}
