// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Positioning
internal import SystemSupport

/// Where the subcommands of `auth` read, write and print; its failures end the command.
struct AuthContext {
  let places: PolicyPaths
  let now = BootTimestamp.now()

  /// Throws `ExitCode` 66 for a root that is no folder: a misspelt one would be made; 78 where it is
  /// not known where answers lie.
  init(_ options: AuthPathOptions) throws {
    if let root = options.rootFolder { try Self.check(root) }
    places = try options.places()
  }

  private static func check(_ root: String) throws {
    var status = stat()
    if stat(root, &status) != 0 {
      throw CommandFailure.noInput(
        "\(root): is not there or cannot be looked at; the root has to be a folder")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure.noInput("\(root): is no folder, as the root has to be")
    }
  }

  /// Whom the words on the command line mean.
  func selector(_ words: [String]) throws -> ClientSelector {
    do { return try ClientSelector(words: words) } catch {
      throw CommandFailure.usage("\(error)")
    }
  }

  /// The answers.
  func ledger() throws -> DecisionLedger {
    do { return try places.store.read() } catch { throw unreadable(error) }
  }

  /// What has been said, readable or not.
  func evaluation() -> AuthorizationEvaluation { places.evaluation() }

  /// Changes the answers.
  func update<Value>(_ change: (inout DecisionLedger) -> Value) throws -> Value {
    // A limit on the size of files is an error of the write, not the end of the program.
    signal(SIGXFSZ, SIG_IGN)
    do { return try places.store.update(change) } catch { throw failure(error) }
  }

  /// Records an answer, with what has run out forgotten.
  func record(_ change: (inout DecisionLedger) -> UInt64?) throws -> UInt64 {
    let id = try update { ledger in
      ledger.prune(at: now)
      return change(&ledger)
    }
    guard let id else {
      throw CommandFailure.inputOutput("\(places.store.path): holds too many answers already")
    }
    return id
  }

  /// Adds a line to the log; its loss is told, and undoes nothing.
  func log(
    _ kind: AuditEvent.Kind, _ selector: ClientSelector, _ authorization: Authorization? = nil,
    isFullAccuracy: Bool = false, by words: String? = nil, reason: String? = nil
  ) {
    var event = AuditEvent(kind, at: now.utcSeconds, client: "\(selector)")
    event.authorization = authorization
    event.asksFullAccuracy = isFullAccuracy
    event.decidedBy = words
    event.reason = reason
    event.byUser = getuid()
    do { try places.audit.append(event) } catch {
      StandardError.print("fixcast: the log of authorization cannot be written: \(error)")
    }
  }

  /// Refuses to answer where no answer would count.
  func refuseIfLocked(_ selector: ClientSelector) throws {
    let verdict = verdict(on: selector)
    switch verdict.origin {
    case .lock(let rule):
      throw CommandFailure.notPermitted(
        "\(selector) is locked by \(verdict.origin); no answer changes that, edit "
          + rule.place.file)
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error): throw unreadable(error)
    case .switchedOff, .decision, .rule, .nobody: break
    }
  }

  /// What holds for a selector, once it asks for that.
  func verdict(
    on selector: ClientSelector, asking request: AuthorizationRequest? = nil
  ) -> AuthorizationVerdict {
    evaluation().verdict(on: selector.client, asking: request, at: now)
  }

  /// What an answer about anybody but the answers' owner takes to count; `nil` where it does.
  ///
  /// Nobody else may read them, and what cannot be read grants nothing: the daemon reads them for
  /// everybody.
  func reach(of selector: ClientSelector) -> String? {
    guard selector.userID != nil || selector.systemUnit != nil, AuthMode.current == .cooperative
    else { return nil }
    let owner = owner
    guard selector.userID != 0, selector.userID != owner else { return nil }
    return "without the daemon it reaches programs of \(Self.user(owner)) alone, who may read it; "
      + "start the daemon with: \(Self.startCommand)"
  }

  static let startCommand = "sudo systemctl start fixcast"

  /// Whose the answers are.
  private var owner: UInt32 {
    var status = stat()
    for path in [places.store.path, places.stateFolder] where stat(path, &status) == 0 {
      return status.st_uid
    }
    return geteuid()
  }

  /// Prints data.
  func print(_ bytes: [UInt8]) throws { try Output.write(bytes) }

  func print(_ lines: [String]) throws {
    try print(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// The words for answers that cannot be read, and the code.
  func unreadable(_ error: DecisionStoreError) -> ExitCode {
    guard case .file(let failure) = error, !failure.isPermission else { return self.failure(error) }
    return CommandFailure.configuration(
      "\(failure); answers that cannot be read grant nothing to anybody")
  }

  /// The words for an error of the store, and the code.
  func failure(_ error: DecisionStoreError) -> ExitCode {
    switch error {
    case .file(let failure) where failure.isPermission:
      CommandFailure.notPermitted("\(failure); answers belong to root, try again with sudo")
    case .file(let failure):
      CommandFailure.inputOutput("\(failure); the answers are as they were")
    case .corrupt, .newer: CommandFailure.configuration("\(error)")
    case .busy: CommandFailure.temporary("\(error)")
    }
  }

  /// Who a user is, by name where there is one.
  static func user(_ number: UInt32) -> String { UserNames.name(number) ?? "uid \(number)" }
}

extension ClientSelector {
  /// A client that the selector means; where it names no user, one whom no other rule names.
  var client: ClientIdentity {
    ClientIdentity(userID: userID ?? .max, systemUnit: systemUnit)
  }
}

extension JSONLine {
  /// Adds an object on a line of its own.
  mutating func object(_ name: StaticString, _ fields: (inout JSONLine) -> Void) {
    beginObject()
    constant("class", name)
    fields(&self)
    endObject()
    endLine()
  }
}
