// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Rules and answers as they were read last, read again when their files change.
struct PolicySnapshot: Sendable {
  private let folders: PolicyFolders
  private let store: DecisionStore
  private(set) var evaluation: AuthorizationEvaluation
  private var rulesRead: [FileStamp]
  /// What the rules are, where that is not what was read, and since when.
  private var rulesSeen: (stamps: [FileStamp], since: Duration)?
  private var answersRead: FileStamp
  /// Whether answers that were written since they were read would show.
  private var areAnswersSettled: Bool
  private let files: Files

  /// How files are looked at and read.
  struct Files: Sendable {
    var stamp: @Sendable (String) -> FileStamp = { FileStamp($0) }
    /// The clock that files are stamped by, in seconds since 1970.
    var utcNow: @Sendable () -> Int64 = { FileStamp.now() }
    var rules: @Sendable (PolicyFolders) -> PolicyRules = { $0.read() }
    var answers: @Sendable (DecisionStore) -> Result<DecisionLedger, DecisionStoreError> = {
      store in
      Result { () throws(DecisionStoreError) in try store.read() }
    }
  }

  /// For how long rules have to stay the same before they count.
  static let settling: Duration = .milliseconds(50)

  init(
    folders: PolicyFolders, store: DecisionStore, base: AuthorizationStatus? = nil,
    isConfigured: Bool = false, files: Files = Files()
  ) {
    self.folders = folders
    self.store = store
    self.files = files
    // Before the files: what changes meanwhile is then read again.
    rulesRead = Self.stamps(folders)
    answersRead = files.stamp(store.path)
    areAnswersSettled = answersRead.isSettled(at: files.utcNow())
    evaluation = AuthorizationEvaluation(
      rules: files.rules(folders), ledger: files.answers(store), base: base)
    evaluation.isConfigured = isConfigured
  }

  mutating func read() {
    self = PolicySnapshot(
      folders: folders, store: store, base: evaluation.base,
      isConfigured: evaluation.isConfigured, files: files)
  }

  /// Whether the kernel is not told of a change in one of the files: a link to somewhere else.
  var hasLinks: Bool { (rulesSeen?.stamps ?? rulesRead).contains(where: \.isLink) }

  /// Whether something could not be read for a reason that may pass, of which no change of a file
  /// tells.
  var isUnread: Bool { evaluation.rules.isPassing || isAnswersFailurePassing }

  private var isAnswersFailurePassing: Bool {
    if case .failure(let error) = evaluation.ledger { error.isPassing } else { false }
  }

  /// Reads again what has changed.
  ///
  /// Answers are replaced in one step. Rules are written by people with editors, so they count
  /// once they have stayed the same for a while.
  ///
  /// Returns whether all that changed has been read; otherwise ``settling`` has to pass first.
  mutating func readChanged(at now: Duration) -> Bool {
    readChangedAnswers()
    let rules = Self.stamps(folders)
    guard rules != rulesRead else {
      rulesSeen = nil
      if evaluation.rules.isPassing { evaluation.rules = files.rules(folders) }
      return true
    }
    guard let seen = rulesSeen, seen.stamps == rules else {
      rulesSeen = (rules, now)
      return false
    }
    guard now - seen.since >= Self.settling else { return false }
    rulesRead = rules
    rulesSeen = nil
    evaluation.rules = files.rules(folders)
    return true
  }

  /// Reads the answers again where they have changed.
  mutating func readChangedAnswers() {
    let answers = files.stamp(store.path)
    guard answers != answersRead || !areAnswersSettled || isAnswersFailurePassing else { return }
    answersRead = answers
    areAnswersSettled = answers.isSettled(at: files.utcNow())
    evaluation.ledger = files.answers(store)
  }

  private static func stamps(_ folders: PolicyFolders) -> [FileStamp] {
    [folders.administrator, folders.image].flatMap { folder in
      let names =
        (try? FolderListing.names(in: folder, most: PolicyFolders.maxFiles) {
          $0.hasSuffix(".conf")
        }) ?? []
      return [FileStamp(folder)] + names.sorted().map { FileStamp("\(folder)/\($0)") }
    }
  }
}
