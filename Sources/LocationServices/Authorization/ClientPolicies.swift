// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Synchronization
package import SystemSupport

/// Decides by the files of the board for other processes: whoever serves many makes their policies
/// here.
///
/// All have one watch of the kernel, one thread and one queue of the log between them. They share the
/// rules, the answers, the requests that wait and the log with `fixcast auth` and with programs that
/// decide for themselves.
package final class ClientPolicies: Sendable {
  /// More than the clients of a socket can leave behind at once.
  private static let maxNotes = 8192

  private let places: PolicyPaths
  /// The cell that all clients of reduced accuracy are told.
  package let reducedCell: ReducedCell
  private let watch: SharedFolderWatch
  private let jobs = SerialWorkQueue()
  private let useLog = UseLogLimit()
  private let audit: AuditQueue
  private let now: @Sendable () -> BootTimestamp
  private let report: @Sendable (String) -> Void

  /// Makes it; begins to watch the files.
  package init(
    places: PolicyPaths, now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() },
    report: @escaping @Sendable (String) -> Void
  ) {
    var places = places
    places.isEnforced = true
    self.places = places
    reducedCell = places.reducedCell
    audit = AuditQueue(log: places.audit, maxLines: Self.maxNotes)
    self.now = now
    // Each client's policy reports the same faults of the files: each line is passed on once a minute.
    let lines = Mutex(RateLimit<String>(burst: 1, perSecond: 1.0 / 60))
    self.report = { line in
      let time = MonotonicTime(nanoseconds: now().bootSeconds &* 1_000_000_000)
      if lines.withLock({ $0.take(from: line, at: time) }) { report(line) }
    }
    watch = SharedFolderWatch(places.watched)
    jobs.add { [store = places.store] in store.reserveRoom() }
  }

  /// Reads the files for a client, behind all that is being read and written already.
  ///
  /// `base` is what holds while nobody has ever said anything about the client; `nil` has to be
  /// asked for. `take` is called on another thread.
  package func open(
    _ client: ClientIdentity, process: ProcessToken, base: AuthorizationStatus?,
    _ take: @escaping @Sendable (PolicyFiles) -> Void
  ) {
    jobs.add { [self] in
      take(
        PolicyFiles(
          client: client, process: process, places: places, base: base, sharedWatch: watch,
          jobs: jobs, audit: audit, maxNotes: Self.maxNotes, useLog: useLog, now: now,
          report: report))
    }
  }

  /// Writes the cell of reduced accuracy where it has changed; returns at once.
  package func saveReducedCell() {
    if reducedCell.isUnsaved { jobs.add { [reducedCell] in reducedCell.save() } }
  }

  /// How much of what clients did is missing in the log, for coming faster than it is written.
  package var droppedNoteCount: UInt64 { jobs.refusedCount &+ audit.droppedCount }

  /// Waits until what was noted so far has been written, or the log's lock has been held for too
  /// long.
  package func flush() async {
    await withCheckedContinuation { continuation in jobs.add { continuation.resume() } }
    await audit.flush()
  }
}
