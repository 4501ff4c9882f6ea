// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Sends watchdog pings and the status line to the service manager.
///
/// Pings are withheld while a part of the daemon does not respond.
struct WatchdogService: Sendable {
  /// A part whose liveness is checked.
  struct Part: Sendable {
    let name: String
    /// Returns once the part's own thread or task has responded, and is therefore delayed while the
    /// part is busy.
    let ping: @Sendable () async -> Void
  }

  let notifier: ServiceNotifier
  let parts: [Part]
  let clock: any Clock<Duration>
  /// The daemon's status in one line.
  let status: @Sendable () -> String
  let report: @Sendable (DaemonLogEvent) -> Void

  /// The interval at which the status line is sent if no watchdog is configured.
  static let statusInterval = Duration.seconds(30)

  /// Runs until the task is cancelled.
  func run() async {
    guard notifier.isNotifying else { return await PipelineRun.untilCancelled() }
    let interval = notifier.watchdogInterval.map { $0 / 2 } ?? Self.statusInterval
    let (events, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(2 * parts.count + 2))
    var beat = WatchdogBeat(parts: Set(parts.map(\.name)))
    var lastReportedStatus: String?
    var isOverdue = false
    var wasPingLate = false
    await withDiscardingTaskGroup { group in
      group.addTask { await tick(every: interval, continuation) }
      for part in parts { group.addTask { await part.keepPinging(interval, clock, continuation) } }
      for await event in events {
        switch event {
        case .answered(let part):
          beat.recordAnswer(from: part)
          // Send an overdue ping as soon as all parts have responded, because the next tick would
          // be too late.
          if isOverdue, beat.unresponsivePartsAtPing().isEmpty {
            isOverdue = false
            wasPingLate = true
            _ = notify(isAlive: true, nil)
          }
        case .tick:
          let silent = beat.unresponsivePartsAtPing()
          isOverdue = !silent.isEmpty
          // After a late ping, the parts had less than one interval to respond again, so do not
          // report them.
          if isOverdue, !wasPingLate { report(.unresponsive(silent)) }
          wasPingLate = false
          let line = status()
          if notify(isAlive: !isOverdue, line == lastReportedStatus ? nil : line) {
            lastReportedStatus = line
          }
        }
      }
      group.cancelAll()
    }
  }

  fileprivate enum Event: Sendable {
    case answered(String)
    case tick
  }

  /// Sends a ping, a status line or both.
  ///
  /// Returns false if sending failed.
  private func notify(isAlive: Bool, _ line: String?) -> Bool {
    do throws(DatagramError) {
      switch (isAlive && notifier.watchdogInterval != nil, line) {
      case (true, let line?): try notifier.notify(.watchdog, .status(line))
      case (true, nil): try notifier.notify(.watchdog)
      case (false, let line?): try notifier.notify(.status(line))
      case (false, nil): break
      }
      return true
    } catch {
      report(.notificationFailed("\(error)"))
      return false
    }
  }

  private func tick(
    every interval: Duration, _ continuation: AsyncStream<Event>.Continuation
  ) async {
    while (try? await clock.sleep(for: interval)) != nil { continuation.yield(.tick) }
    continuation.finish()
  }
}

extension WatchdogService.Part {
  /// Pings the part repeatedly, twice per interval.
  fileprivate func keepPinging(
    _ interval: Duration, _ clock: any Clock<Duration>,
    _ continuation: AsyncStream<WatchdogService.Event>.Continuation
  ) async {
    repeat {
      await ping()
      continuation.yield(.answered(name))
    } while (try? await clock.sleep(for: interval / 2)) != nil
  }
}
