// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Rules and answers as they were read last, read again when their files change.
struct PolicySnapshot: Sendable {
  private let folders: PolicyFolders
  private let store: DecisionStore
  private(set) var evaluation: AuthorizationEvaluation
  private var rulesRead: [FileStamp]
  private var rulesSeen: [FileStamp]
  private var answersRead: FileStamp

  init(folders: PolicyFolders, store: DecisionStore) {
    self.folders = folders
    self.store = store
    // Before the files: what changes meanwhile is then read again.
    rulesRead = Self.stamps(folders)
    rulesSeen = rulesRead
    answersRead = FileStamp(store.path)
    evaluation = AuthorizationEvaluation(rules: folders.read(), ledger: Self.ledger(store))
  }

  /// Reads everything again.
  mutating func read() { self = PolicySnapshot(folders: folders, store: store) }

  /// Reads again what has changed.
  ///
  /// Answers are replaced in one step. Rules are written by people with editors, so they count
  /// once they have stayed the same from one look to the next.
  mutating func readChanged() {
    let answers = FileStamp(store.path)
    if answers != answersRead {
      answersRead = answers
      evaluation.ledger = Self.ledger(store)
    }
    let rules = Self.stamps(folders)
    if rules != rulesRead, rules == rulesSeen {
      rulesRead = rules
      evaluation.rules = folders.read()
    }
    rulesSeen = rules
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

/// What changes with a file.
struct FileStamp: Hashable, Sendable {
  private var path: String
  private var error: Int32 = 0
  private var numbers: [Int64] = []

  init(_ path: String) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else {
      error = errno
      return
    }
    numbers = [
      Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
      Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
      Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
    ]
  }
}
