// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import SystemSupport

/// The paths of the authorization files on a board.
public struct PolicyPaths: Hashable, Sendable {
  package var folders: PolicyFolders
  /// The folder of decisions and the log.
  package var stateFolder: String
  /// The options with which `fixcast auth` uses the same paths; empty for the default paths.
  package private(set) var options: [String] = []
  /// The environment variables that changed the paths, as `NAME=value`.
  ///
  /// They are part of every log line, because they determine which files apply.
  package private(set) var overrides: [String] = []

  /// Whether this process owns the receiver and serves clients; recorded in the log.
  var isEnforced = false

  /// Creates the paths.
  ///
  /// - Parameters:
  ///   - root: The prefix of all paths, such as the root of an image that is being built.
  ///   - stateFolder: The folder of decisions and the log; `nil` for `/var/lib/fixcast` below the
  ///     root.
  public init(root: String? = nil, stateFolder: String? = nil) {
    var root = root ?? ""
    while root.hasSuffix("/") { root.removeLast() }
    folders = PolicyFolders(
      administrator: root + "/etc/fixcast/policy.d", image: root + "/usr/lib/fixcast/policy.d")
    let defaultFolder = root + "/var/lib/fixcast"
    var folder = stateFolder ?? defaultFolder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.stateFolder = folder
    if !root.isEmpty { options += ["--root", root] }
    // The default folder needs no option.
    if self.stateFolder != defaultFolder { options += ["--state-directory", self.stateFolder] }
  }

  /// Creates the paths from the environment: `FIXCAST_ROOT` and `FIXCAST_STATE_DIRECTORY`.
  ///
  /// - Parameters:
  ///   - environment: The environment variables.
  ///   - root: Overrides `FIXCAST_ROOT`.
  ///   - stateFolder: Overrides `FIXCAST_STATE_DIRECTORY`.
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

  /// The store of decisions.
  ///
  /// A daemon waits only briefly for the lock, since one thread decides for all clients.
  package var store: DecisionStore {
    DecisionStore(
      folder: stateFolder, lockTimeout: isEnforced ? .milliseconds(100) : .seconds(3))
  }

  /// The audit log.
  package var audit: AuditLog {
    var log = AuditLog(folder: stateFolder)
    log.overrides = overrides
    log.isEnforced = isEnforced
    return log
  }

  /// Reads all rules and decisions; `base` applies to clients without any decision so far.
  package func evaluation(base: AuthorizationStatus? = nil) -> AuthorizationEvaluation {
    AuthorizationEvaluation(
      rules: folders.read(),
      ledger: Result { () throws(DecisionStoreError) in try store.read() }, base: base)
  }

  /// Returns the folder for the monitoring state of a client, separate from that of other clients.
  ///
  /// The folder is for ``MonitoringFile`` and ``MonitorFile``.
  public func monitoringFolder(of client: ClientIdentity) -> String {
    "\(stateFolder)/monitoring/\(StateFileName.encoded("\(client.evidence)"))"
  }

  /// The files to watch for changes.
  var watched: [FolderWatchSet.Folder] {
    [folders.administrator, folders.image].map { .init(path: $0, suffix: ".conf") }
      + [.init(path: stateFolder, suffix: DecisionStore.fileName)]
  }

  /// Returns a command line that uses the same paths, quoted for a shell.
  package func command(_ words: [String]) -> String {
    (words + options).map(Self.quoted).joined(separator: " ")
  }

  /// Returns the words of a selector for people, with the user's name.
  ///
  /// Below another root, users keep their numbers: the users of an image are not those of this
  /// system.
  package func words(_ selector: ClientSelector) -> [String] {
    options.contains("--root") ? selector.words : selector.words(naming: UserNames.name)
  }

  /// Returns a selector as text for people, with the user's name.
  package func text(_ selector: ClientSelector) -> String {
    words(selector).joined(separator: " ")
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
