// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// The rules and decisions as last read; they are read again when their files change.
struct PolicySnapshot: Sendable {
  private let folders: PolicyFolders
  private let store: DecisionStore
  private(set) var evaluation: AuthorizationEvaluation
  /// The number of times the rules were read.
  private(set) var ruleReads: UInt64 = 1
  private var decisionReads: UInt64 = 0
  private var ruleStamps: [FileStamp]
  /// Whether a client uses rules that were read before the files had settled.
  private var hasUnsettledReader = false
  /// The stamps of changed rule files that have not been read, and the time since the last change.
  private var changedRules: (stamps: [FileStamp], since: Duration)?
  private var decisionsStamp: FileStamp
  /// Whether a later write of the decisions would change the stamp.
  private var areDecisionsSettled: Bool
  private let files: Files

  /// Rules whose files have not stayed unchanged for ``settling``, read for a single client.
  struct UnsettledRules: Sendable {
    var rules: PolicyRules
    /// The value of ``PolicySnapshot/ruleReads``; with another value, these rules are obsolete.
    var ruleReads: UInt64
  }

  /// Access to the files.
  struct Files: Sendable {
    var stamp: @Sendable (String) -> FileStamp = { FileStamp($0) }
    /// The clock of the file system's time stamps, in seconds since 1970.
    var utcNow: @Sendable () -> Int64 = { FileStamp.now() }
    var rules: @Sendable (PolicyFolders) -> PolicyRules = { $0.read() }
    var decisions: @Sendable (DecisionStore) -> Result<DecisionLedger, DecisionStoreError> = {
      store in
      Result { () throws(DecisionStoreError) in try store.read() }
    }
  }

  /// The time that rule files must stay unchanged before they are read.
  static let settling: Duration = .milliseconds(50)

  init(folders: PolicyFolders, store: DecisionStore, files: Files = Files()) {
    self.folders = folders
    self.store = store
    self.files = files
    // The stamps are taken before the files are read, so that a change during the read is detected.
    ruleStamps = Self.stamps(folders)
    decisionsStamp = files.stamp(store.path)
    areDecisionsSettled = decisionsStamp.isSettled(at: files.utcNow())
    evaluation = AuthorizationEvaluation(
      rules: files.rules(folders), ledger: files.decisions(store))
  }

  /// Changes when rules or decisions are read again.
  var version: UInt64 { ruleReads &+ decisionReads }

  /// Reads all files now.
  ///
  /// - Returns: The rules, if their files have changed since they were read for ``evaluation``,
  ///   which keeps the old ones until the new ones have stayed unchanged for ``settling``.
  mutating func read() -> UnsettledRules? {
    readDecisions(files.stamp(store.path))
    let rules = files.rules(folders)
    guard Self.stamps(folders) == ruleStamps else {
      hasUnsettledReader = true
      return UnsettledRules(rules: rules, ruleReads: ruleReads)
    }
    replaceRules(rules)
    return nil
  }

  /// Whether a rule file is a symbolic link, whose target the kernel does not watch.
  var hasLinks: Bool { (changedRules?.stamps ?? ruleStamps).contains(where: \.isLink) }

  /// Whether a file could not be read for a temporary reason.
  ///
  /// The files have to be read again, because no file change shows the end of such an error.
  var hasTemporaryReadError: Bool {
    evaluation.rules.hasTemporaryProblem || hasTemporaryLedgerError
  }

  private var hasTemporaryLedgerError: Bool {
    if case .failure(let error) = evaluation.ledger { error.isTemporary } else { false }
  }

  /// Reads the changed files again.
  ///
  /// Decisions are replaced in one step and read at once. Rules are edited by people, so they are
  /// read after they have stayed unchanged for ``settling``.
  ///
  /// - Returns: Whether all changes have been read; otherwise call again after ``settling``.
  mutating func readChanged(at now: Duration) -> Bool {
    readChangedDecisions()
    let stamps = Self.stamps(folders)
    guard stamps != ruleStamps else {
      changedRules = nil
      if evaluation.rules.hasTemporaryProblem || hasUnsettledReader {
        replaceRules(files.rules(folders))
      }
      return true
    }
    guard let changed = changedRules, changed.stamps == stamps else {
      changedRules = (stamps, now)
      return false
    }
    guard now - changed.since >= Self.settling else { return false }
    ruleStamps = stamps
    changedRules = nil
    replaceRules(files.rules(folders))
    return true
  }

  private mutating func replaceRules(_ rules: PolicyRules) {
    evaluation.rules = rules
    ruleReads &+= 1
    hasUnsettledReader = false
  }

  /// Reads the decisions again if they have changed.
  mutating func readChangedDecisions() {
    let stamp = files.stamp(store.path)
    guard stamp != decisionsStamp || !areDecisionsSettled || hasTemporaryLedgerError else { return }
    readDecisions(stamp)
  }

  private mutating func readDecisions(_ stamp: FileStamp) {
    decisionsStamp = stamp
    areDecisionsSettled = stamp.isSettled(at: files.utcNow())
    evaluation.ledger = files.decisions(store)
    decisionReads &+= 1
  }

  private static func stamps(_ folders: PolicyFolders) -> [FileStamp] {
    [folders.administrator, folders.image].flatMap { folder in
      let names =
        (try? FolderListing.names(in: folder, limit: PolicyFolders.maxFiles) {
          $0.hasSuffix(".conf")
        }) ?? []
      return [FileStamp(folder)] + names.sorted().map { FileStamp("\(folder)/\($0)") }
    }
  }
}
