// SPDX-License-Identifier: Apache-2.0

/// Rules and answers as they were read last, read again when their files change.
struct PolicySnapshot: Sendable {
  private let folders: PolicyFolders
  private let store: DecisionStore
  private(set) var evaluation: AuthorizationEvaluation
  private var rulesRead: [FileStamp]
  /// What the rules are, where that is not what was read, and since when.
  private var rulesSeen: (stamps: [FileStamp], since: Duration)?
  private var answersRead: FileStamp

  /// For how long rules have to stay the same before they count.
  static let settling: Duration = .milliseconds(50)

  init(folders: PolicyFolders, store: DecisionStore, base: AuthorizationStatus? = nil) {
    self.folders = folders
    self.store = store
    // Before the files: what changes meanwhile is then read again.
    rulesRead = Self.stamps(folders)
    answersRead = FileStamp(store.path)
    evaluation = AuthorizationEvaluation(
      rules: folders.read(), ledger: Self.ledger(store), base: base)
  }

  /// Reads everything again.
  mutating func read() {
    self = PolicySnapshot(folders: folders, store: store, base: evaluation.base)
  }

  /// Whether the kernel is not told of a change in one of the files: a link to somewhere else.
  var hasLinks: Bool { (rulesSeen?.stamps ?? rulesRead).contains(where: \.isLink) }

  /// Reads again what has changed.
  ///
  /// Answers are replaced in one step. Rules are written by people with editors, so they count
  /// once they have stayed the same for a while.
  ///
  /// - Parameter now: The time, by any clock that does not run backwards.
  /// - Returns: Whether all that changed has been read; otherwise ``settling`` has to pass first.
  mutating func readChanged(at now: Duration) -> Bool {
    readChangedAnswers()
    let rules = Self.stamps(folders)
    guard rules != rulesRead else {
      rulesSeen = nil
      return true
    }
    guard let seen = rulesSeen, seen.stamps == rules else {
      rulesSeen = (rules, now)
      return false
    }
    guard now - seen.since >= Self.settling else { return false }
    rulesRead = rules
    rulesSeen = nil
    evaluation.rules = folders.read()
    return true
  }

  /// Reads the answers again where they have changed.
  mutating func readChangedAnswers() {
    let answers = FileStamp(store.path)
    guard answers != answersRead else { return }
    answersRead = answers
    evaluation.ledger = Self.ledger(store)
  }

  private static func ledger(
    _ store: DecisionStore
  ) -> Result<DecisionLedger, DecisionStoreError> {
    Result { () throws(DecisionStoreError) in try store.read() }
  }

  private static func stamps(_ folders: PolicyFolders) -> [FileStamp] {
    [folders.administrator, folders.image].flatMap { folder in
      let names =
        (try? FolderListing.names(in: folder, most: PolicyFolders.mostFiles) {
          $0.hasSuffix(".conf")
        }) ?? []
      return [FileStamp(folder)] + names.sorted().map { FileStamp("\(folder)/\($0)") }
    }
  }
}
