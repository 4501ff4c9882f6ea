// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Positioning
internal import SystemSupport

/// The paths, files and output of the `auth` subcommands.
///
/// Prints errors and throws their exit codes.
struct AuthContext {
  let paths: PolicyPaths
  let now = BootTimestamp.now()
  /// Whether the directory of the answers is unknown, and only the daemon can read them.
  let areAnswersUnknown: Bool

  /// - Throws: `ExitCode` 66 if the root is not a directory (the root is never created, so that a
  ///   typo has no effect), 78 if the configuration is invalid and no option sets the state
  ///   directory.
  init(_ options: AuthPathOptions) throws {
    if let root = options.rootFolder { try Self.check(root) }
    paths = try options.paths()
    areAnswersUnknown = false
  }

  /// Creates a context for this user's own access, which the daemon reports if this user may not
  /// read the configuration.
  static func forOwnAccess(_ options: AuthPathOptions) throws -> AuthContext {
    guard options.isFolderUnknown, DaemonAccess.clientIfFound != nil else {
      return try AuthContext(options)
    }
    return AuthContext(paths: AuthPathOptions.rulePaths, areAnswersUnknown: true)
  }

  private init(paths: PolicyPaths, areAnswersUnknown: Bool) {
    self.paths = paths
    self.areAnswersUnknown = areAnswersUnknown
  }

  private static func check(_ root: String) throws {
    var status = stat()
    if stat(root, &status) != 0 {
      throw CommandFailure.noInput(
        "\(root): does not exist or cannot be accessed; the root has to be a directory")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure.noInput("\(root): not a directory; the root has to be one")
    }
  }

  /// Parses WHO on the command line.
  func selector(_ words: [String]) throws -> ClientSelector {
    do { return try ClientSelector(words: words) } catch {
      throw CommandFailure.usage("\(error)")
    }
  }

  /// Reads the operators' answers.
  func ledger() throws -> DecisionLedger {
    do { return try paths.store.read() } catch { throw unreadable(error) }
  }

  /// Whether only other users, such as the daemon's, may read the operators' answers.
  var mayNotReadAnswers: Bool {
    guard !areAnswersUnknown else { return true }
    guard case .failure(let error) = evaluation().ledger else { return false }
    return error.isPermission
  }

  /// Returns the evaluation of rules and answers, which reports files that cannot be read.
  func evaluation() -> AuthorizationEvaluation { paths.evaluation() }

  /// Changes the operators' answers.
  func update<Value>(_ change: (inout DecisionLedger) -> Value) throws -> Value {
    // Makes a write beyond the file size limit fail instead of killing the program.
    signal(SIGXFSZ, SIG_IGN)
    do { return try paths.store.update(change) } catch { throw failure(error) }
  }

  /// Records an answer and removes the expired ones.
  func record(_ change: (inout DecisionLedger) -> UInt64?) throws -> UInt64 {
    let id = try update { ledger in
      ledger.prune(at: now)
      return change(&ledger)
    }
    guard let id else {
      throw CommandFailure.inputOutput("\(paths.store.path): too many answers; reset some first")
    }
    return id
  }

  /// Adds an entry to the log; if the write fails, reports the error and keeps the change.
  func log(
    _ kind: AuditEvent.Kind, _ selector: ClientSelector, _ authorization: Authorization? = nil,
    isFullAccuracy: Bool = false, by decider: String? = nil, reason: String? = nil
  ) {
    var event = AuditEvent(kind, at: now.utcSeconds, client: "\(selector)")
    event.authorization = authorization
    event.asksFullAccuracy = isFullAccuracy
    event.decidedBy = decider
    event.reason = reason
    event.byUser = getuid()
    do { try paths.audit.append(event) } catch {
      StandardError.print("fixcast: cannot write the authorization log: \(error)")
    }
  }

  /// Throws if a lock or an unreadable file would override any answer.
  func refuseIfLocked(_ selector: ClientSelector) throws {
    let verdict = verdict(on: selector)
    switch verdict.origin {
    case .lock(let rule):
      throw CommandFailure.notPermitted(
        "\(paths.text(selector)) is locked by \(verdict.origin.text(paths.text)); an answer cannot "
          + "override it, edit \(rule.place.file)")
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error): throw unreadable(error)
    case .switchedOff, .decision, .rule, .undecided: break
    }
  }

  /// Returns the verdict for a selector; with `request`, the verdict after that request.
  func verdict(
    on selector: ClientSelector, asking request: AuthorizationRequest? = nil
  ) -> AuthorizationVerdict {
    evaluation().verdict(on: selector.client, asking: request, at: now)
  }

  /// Returns a note if an answer for the selector has an effect only with the daemon; `nil`
  /// otherwise.
  ///
  /// Only the owner of the file with the answers may read it, and unreadable answers grant nothing.
  /// The daemon reads the answers for every user.
  func daemonNote(for selector: ClientSelector) -> String? {
    guard selector.userID != nil || selector.systemUnit != nil, AuthMode.current == .cooperative
    else { return nil }
    let owner = owner
    guard selector.userID != 0, selector.userID != owner else { return nil }
    return "without the daemon, answers apply only to programs of \(Self.user(owner)), who owns "
      + "the answers; start the daemon with: \(Self.startCommand)"
  }

  static let startCommand = "sudo systemctl start fixcast"

  /// The user who owns the file or directory of the answers.
  private var owner: UInt32 {
    var status = stat()
    for path in [paths.store.path, paths.stateFolder] where stat(path, &status) == 0 {
      return status.st_uid
    }
    return geteuid()
  }

  /// Writes bytes to standard output.
  func print(_ bytes: [UInt8]) throws { try Output.write(bytes) }

  func print(_ lines: [String]) throws {
    try print(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Reports answers that cannot be read, and returns the exit code.
  func unreadable(_ error: DecisionStoreError) -> ExitCode {
    guard case .file(let failure) = error, !failure.isPermission else { return self.failure(error) }
    return CommandFailure.configuration(
      "\(failure); unreadable answers grant nothing")
  }

  /// Reports an error of the store, and returns the exit code.
  func failure(_ error: DecisionStoreError) -> ExitCode {
    switch error {
    case .file(let failure) where failure.number == EROFS:
      CommandFailure.inputOutput(
        "\(failure); the answers are unchanged; remount the disk (see: findmnt -T \(paths.stateFolder))"
      )
    case .file(let failure) where failure.isPermission && geteuid() == 0:
      CommandFailure.inputOutput(
        "\(failure); the answers are unchanged; see: ls -ld \(failure.path)")
    case .file(let failure) where failure.isPermission:
      CommandFailure.notPermitted("\(failure); the answers belong to root, try again with sudo")
    case .file(let failure):
      CommandFailure.inputOutput("\(failure); the answers are unchanged")
    case .corrupt, .newer: CommandFailure.configuration("\(error)")
    case .busy: CommandFailure.temporary("\(error)")
    }
  }

  /// Returns the user's name, or "uid N" if the user has no name.
  static func user(_ number: UInt32) -> String { UserNames.name(number) ?? "uid \(number)" }
}

extension ClientSelector {
  /// A client that the selector matches, with a user ID that no rule names if the selector has no
  /// user.
  var client: ClientIdentity {
    ClientIdentity(userID: userID ?? .max, systemUnit: systemUnit)
  }
}

extension JSONLine {
  /// Adds an object on a separate line.
  mutating func object(_ name: StaticString, _ fields: (inout JSONLine) -> Void) {
    beginObject()
    constant("class", name)
    fields(&self)
    endObject()
    endLine()
  }
}
