// SPDX-License-Identifier: Apache-2.0

/// Feeds the service manager's watchdog while every part of the daemon answers, and says in one line
/// how it stands.
struct WatchdogService: Sendable {
  /// A part that has to be alive.
  struct Part: Sendable {
    let name: String
    /// Answers from where the part's work is done; takes as long as that is busy.
    let ask: @Sendable () async -> Void
  }

  let notifier: ServiceNotifier
  let parts: [Part]
  let clock: any Clock<Duration>
  /// How the daemon stands, in one line.
  let status: @Sendable () -> String
  let report: @Sendable (DaemonLogEvent) -> Void

  /// How often the line is made anew where no watchdog is wanted.
  static let statusInterval = Duration.seconds(30)

  /// Beats until the task is cancelled.
  func run() async {
    guard notifier.isNotifying else { return await PipelineRun.untilCancelled() }
    let interval = notifier.watchdogInterval.map { $0 / 2 } ?? Self.statusInterval
    let (answers, answer) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(2 * parts.count + 2))
    var beat = WatchdogBeat(parts: Set(parts.map(\.name)))
    var lastReportedStatus: String?
    var isOverdue = false
    var wasFedLate = false
    await withDiscardingTaskGroup { group in
      group.addTask { await tick(every: interval, answer) }
      for part in parts { group.addTask { await part.keepAnswering(interval, clock, answer) } }
      for await event in answers {
        switch event {
        case .heard(let part):
          beat.heard(part)
          // What is fed half an interval late is not fed in time: as soon as all have answered.
          if isOverdue, beat.due().isEmpty {
            isOverdue = false
            wasFedLate = true
            _ = tell(isFed: true, nil)
          }
        case .due:
          let silent = beat.due()
          isOverdue = !silent.isEmpty
          // Who answered since the last beat has not had the time to answer again.
          if isOverdue, !wasFedLate { report(.silent(silent)) }
          wasFedLate = false
          let line = status()
          if tell(isFed: !isOverdue, line == lastReportedStatus ? nil : line) {
            lastReportedStatus = line
          }
        }
      }
      group.cancelAll()
    }
  }

  fileprivate enum Event: Sendable {
    case heard(String)
    case due
  }

  /// - Returns: Whether the service manager has taken it.
  private func tell(isFed: Bool, _ line: String?) -> Bool {
    do throws(DatagramError) {
      switch (isFed && notifier.watchdogInterval != nil, line) {
      case (true, let line?): try notifier.notify(.watchdog, .status(line))
      case (true, nil): try notifier.notify(.watchdog)
      case (false, let line?): try notifier.notify(.status(line))
      case (false, nil): break
      }
      return true
    } catch {
      report(.notNotified("\(error)"))
      return false
    }
  }

  private func tick(
    every interval: Duration, _ answer: AsyncStream<Event>.Continuation
  ) async {
    while (try? await clock.sleep(for: interval)) != nil { answer.yield(.due) }
    answer.finish()
  }
}

extension WatchdogService.Part {
  /// Asks again and again, twice as often as an answer is needed.
  fileprivate func keepAnswering(
    _ interval: Duration, _ clock: any Clock<Duration>,
    _ answer: AsyncStream<WatchdogService.Event>.Continuation
  ) async {
    repeat {
      await ask()
      answer.yield(.heard(name))
    } while (try? await clock.sleep(for: interval / 2)) != nil
  }
}
