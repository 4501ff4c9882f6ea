// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import Positioning
internal import Synchronization

/// The policy and the source that a program uses in its own process if no daemon is running.
///
/// This is the cooperative mode: the program applies the policy to itself, and other programs are
/// not affected.
public struct InProcess: Sendable {
  /// Creates the policy; if `nil`, the policy uses the board's policy files, and reports pending
  /// requests to the log of the manager.
  public var policy: (@Sendable () -> any AuthorizationPolicy)?
  /// Creates a new source of fixes for each run.
  public var source: @Sendable () -> any FixSource

  /// Creates a configuration without opening anything.
  ///
  /// By default, the policy uses the board's policy files.
  public init(
    policy: (@Sendable () -> any AuthorizationPolicy)? = nil,
    source: @escaping @Sendable () -> any FixSource
  ) {
    self.policy = policy
    self.source = source
  }

  /// Runs the source until it ends, and restarts it with exponential back-off after errors.
  func run(
    clock: any Clock<Duration>, report: @Sendable (String) -> Void,
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    let backoff = DaemonSession.Backoff()
    var wait: Duration?
    var lastReported: String?
    while !Task.isCancelled {
      let hadFix = Mutex(false)
      do {
        return try await source().run { event in
          if case .fix(let fix) = event, fix.mode > .none { hadFix.withLock { $0 = true } }
          deliver(event)
        }
      } catch {
        if Task.isCancelled { return }
        deliver(.lost(SourceLoss(.disconnected, detail: "\(error)")))
        // Report a repeated error only once.
        if lastReported != "\(error)" { report("\(error)") }
        lastReported = "\(error)"
        let pause = backoff.next(after: hadFix.withLock { $0 } ? nil : wait)
        wait = pause
        guard (try? await clock.sleep(for: pause)) != nil else { return }
      }
    }
  }
}
