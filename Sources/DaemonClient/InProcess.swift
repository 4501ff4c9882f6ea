// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import Positioning
internal import Synchronization

/// What a program does by itself where there is no daemon: decide, and read a receiver.
///
/// That is the cooperative mode: it binds this program, and no other.
public struct InProcess: Sendable {
  /// Makes what decides.
  public var policy: @Sendable () -> any AuthorizationPolicy
  /// Makes what fixes come from, each time that it is run.
  public var source: @Sendable () -> any FixSource

  /// Describes it; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - policy: Decides; by default the files of the board.
  ///   - source: Makes what fixes come from.
  public init(
    policy: @escaping @Sendable () -> any AuthorizationPolicy = { PolicyFiles() },
    source: @escaping @Sendable () -> any FixSource
  ) {
    self.policy = policy
    self.source = source
  }

  /// Runs the source until it ends; one that fails is run again, later and later.
  func run(
    clock: any Clock<Duration>, report: @Sendable (String) -> Void,
    delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void
  ) async {
    let backoff = DaemonSession.Backoff()
    var wait: Duration?
    var reported: String?
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
        // Once for each thing that is wrong.
        if reported != "\(error)" { report("\(error)") }
        reported = "\(error)"
        let pause = backoff.next(after: hadFix.withLock { $0 } ? nil : wait)
        wait = pause
        guard (try? await clock.sleep(for: pause)) != nil else { return }
      }
    }
  }
}
