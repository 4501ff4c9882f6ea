// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Synchronization
package import SystemSupport

/// Creates the policies of many client processes from the policy files of the board.
///
/// All policies share one file watch, one thread and one log queue. They use the same rules,
/// decisions, pending requests and log as `fixcast auth` and programs with a policy of their own.
package final class ClientPolicies: Sendable {
  /// The maximum queue length: more uses than all clients of a socket can cause at once.
  private static let maxNotes = 8192

  private let places: PolicyPaths
  /// The reduced-accuracy cell of all clients.
  package let reducedCell: ReducedCell
  private let watch: SharedFolderWatch
  private let jobs = SerialWorkQueue()
  private let useLog = UseLogLimit()
  private let audit: AuditQueue
  private let now: @Sendable () -> BootTimestamp
  private let report: @Sendable (String) -> Void

  /// Starts watching the files.
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
    // The policies of all clients report the same file errors; each line is passed on at most
    // once a minute.
    let lines = Mutex(RateLimit<String>(burst: 1, perSecond: 1.0 / 60))
    self.report = { line in
      let time = MonotonicTime(nanoseconds: now().bootSeconds &* 1_000_000_000)
      if lines.withLock({ $0.take(from: line, at: time) }) { report(line) }
    }
    watch = SharedFolderWatch(places.watched)
    jobs.add { [store = places.store] in store.reserveRoom() }
  }

  /// Reads the files for a client, after all queued reads and writes.
  ///
  /// `base` is the authorization of a client without any decision so far; if it is `nil`, the
  /// client has to request authorization. `take` is called on another thread.
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

  // MARK: Requests that wait for an operator

  /// Reads the requests that wait, after all queued reads and writes; returns at once.
  ///
  /// `begin` is called when the read begins. `take` gets no requests if the file cannot be read.
  package func readPending(
    begin: @escaping @Sendable () -> Void = {},
    _ take: @escaping @Sendable ([PendingRequest]) -> Void
  ) {
    jobs.add { [places, now] in
      begin()
      var ledger = try? places.store.read()
      // Omits requests of programs that have ended.
      ledger?.prune(at: now())
      take(ledger?.pending ?? [])
    }
  }

  /// Records an operator's answer and writes it to the audit log; returns at once.
  ///
  /// `take` gets the reason if the answer was not recorded.
  package func record(
    _ answer: OperatorAnswer, _ take: @escaping @Sendable (OperatorAnswer.Failure?) -> Void
  ) {
    jobs.add { [places, now, audit, report] in
      let time = now()
      let evaluation = places.evaluation()
      do throws(DecisionStoreError) {
        let result = try places.store.update { ledger in
          ledger.prune(at: time)
          return answer.record(in: &ledger, at: time) { selector in
            evaluation.obstacle(to: selector, at: time)
          }
        }
        switch result {
        case .failure(let failure): take(failure)
        case .success(let event):
          let failed: @Sendable (DecisionStoreError) -> Void = {
            report("cannot write the authorization log: \($0)")
          }
          do throws(DecisionStoreError) { try audit.append(event, failed: failed) } catch {
            failed(error)
          }
          take(nil)
        }
      } catch {
        take(.store(error))
      }
    }
  }

  /// Subscribes to changes of the files of rules and decisions; `nil` if the kernel reports none.
  package func watchDecisions(
    _ changed: @escaping @Sendable () -> Void
  ) -> SharedFolderWatch.Subscription? {
    watch.listen { _ in changed() }
  }

  /// Returns a selector as text for people, as `fixcast auth` prints it.
  package func text(_ selector: ClientSelector) -> String { places.text(selector) }

  /// Returns the words of a selector for commands.
  package func words(_ selector: ClientSelector) -> [String] { places.words(selector) }

  /// Returns a command line, quoted for a shell.
  package func command(_ words: [String]) -> String { places.command(words) }

  /// Writes the reduced-accuracy cell if it has changed; returns at once.
  package func saveReducedCell() {
    if reducedCell.isUnsaved { jobs.add { [reducedCell] in reducedCell.save() } }
  }

  /// The number of log lines dropped because they arrived faster than they could be written.
  package var droppedNoteCount: UInt64 { jobs.refusedCount &+ audit.droppedCount }

  /// Waits until all noted uses are written, or until the wait for the log's lock times out.
  package func flush() async {
    await withCheckedContinuation { continuation in jobs.add { continuation.resume() } }
    await audit.flush()
  }
}

extension AuthorizationEvaluation {
  /// Returns why an answer for a selector has no effect; `nil` if it has one.
  fileprivate func obstacle(to selector: ClientSelector, at now: BootTimestamp) -> String? {
    let client = ClientIdentity(
      userID: selector.userID ?? .max, systemUnit: selector.systemUnit)
    switch verdict(on: client, asking: nil, at: now).origin {
    case .lock(let rule): return "\(selector) is locked by \(rule.place)"
    case .brokenPolicy(let problem): return "\(problem)"
    case .brokenStore(let error): return "\(error)"
    case .switchedOff, .decision, .rule, .undecided: return nil
    }
  }
}
