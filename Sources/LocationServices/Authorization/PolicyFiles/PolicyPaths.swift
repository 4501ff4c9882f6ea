// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import SystemSupport

/// Where everything about authorization lies on a board.
public struct PolicyPaths: Hashable, Sendable {
  package var folders: PolicyFolders
  /// The answers and the log.
  package var stateFolder: String
  /// What `fixcast auth` has to be given to look there too; empty for the usual places.
  package private(set) var options: [String] = []
  /// The variables of the environment that moved them, as `NAME=value`; every line of the log says
  /// so, since whoever sets them chooses who decides.
  package private(set) var overrides: [String] = []

  /// Whether whoever decides here owns the receiver and serves others; the log says so.
  var isEnforced = false

  /// Names the places.
  ///
  /// - Parameters:
  ///   - root: What stands before all of them, as for an image that is being built.
  ///   - stateFolder: Where answers and the log lie; `nil` for `/var/lib/fixcast` below the root.
  public init(root: String? = nil, stateFolder: String? = nil) {
    var root = root ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    folders = PolicyFolders(
      administrator: root + "/etc/fixcast/policy.d", image: root + "/usr/lib/fixcast/policy.d")
    let usual = root + "/var/lib/fixcast"
    var named = stateFolder ?? usual
    while named.count > 1, named.hasSuffix("/") { named.removeLast() }
    self.stateFolder = named
    if !root.isEmpty { options += ["--root", root] }
    // Where it would be looked for anyway it need not be typed.
    if self.stateFolder != usual { options += ["--state-directory", self.stateFolder] }
  }

  /// Takes the places from the environment: `FIXCAST_ROOT` and `FIXCAST_STATE_DIRECTORY`.
  ///
  /// - Parameters:
  ///   - environment: Its variables.
  ///   - root: What was named otherwise and counts instead of the first.
  ///   - stateFolder: What was named otherwise and counts instead of the second.
  public init(
    environment: [String: String], root: String? = nil, stateFolder: String? = nil
  ) {
    var overrides: [String] = []
    func value(_ name: String) -> String? {
      guard let value = environment[name], !value.isEmpty else { return nil }
      overrides.append("\(name)=\(value)")
      return value
    }
    self.init(
      root: root ?? value("FIXCAST_ROOT"),
      stateFolder: stateFolder ?? value("FIXCAST_STATE_DIRECTORY"))
    self.overrides = overrides
  }

  /// The answers.
  ///
  /// A daemon waits shortly for a writer that holds the lock, since one thread decides for all.
  package var store: DecisionStore {
    DecisionStore(
      folder: stateFolder, lockTimeout: isEnforced ? .milliseconds(100) : .seconds(3))
  }

  /// The log.
  package var audit: AuditLog {
    var log = AuditLog(folder: stateFolder)
    log.overrides = overrides
    log.isEnforced = isEnforced
    return log
  }

  /// Reads all that has been said; `base` is what holds while nobody has said anything.
  package func evaluation(base: AuthorizationStatus? = nil) -> AuthorizationEvaluation {
    AuthorizationEvaluation(
      rules: folders.read(),
      ledger: Result { () throws(DecisionStoreError) in try store.read() }, base: base)
  }

  /// Where what a client monitors survives a restart, apart from that of every other client.
  ///
  /// - Parameter client: The client, by its evidence.
  /// - Returns: The folder, for ``MonitoringFile`` and ``MonitorFile``.
  public func monitoringFolder(of client: ClientIdentity) -> String {
    "\(stateFolder)/monitoring/\(StateFileName.spelled("\(client.evidence)"))"
  }

  /// The files that decide, for the kernel to tell of their changes.
  var watched: [FolderWatchSet.Folder] {
    [folders.administrator, folders.image].map { .init(path: $0, suffix: ".conf") }
      + [.init(path: stateFolder, suffix: DecisionStore.fileName)]
  }

  /// A command line that looks there too, quoted for a shell.
  package func command(_ words: [String]) -> String {
    (words + options).map(Self.quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_=./:@,+".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
  }
}
