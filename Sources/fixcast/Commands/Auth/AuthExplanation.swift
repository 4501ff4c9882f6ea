// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import LocationServices
import Positioning

/// The output of `fixcast auth explain`: a client's access and the reason for it.
struct AuthExplanation {
  var client: ClientSelector
  /// The client with the user's name, for people.
  var name: String
  var authorization: Authorization
  var remainingSeconds: Int64?
  var because: String
  /// The rule or answer that determines the access; `nil` if only the daemon can read the answer.
  var origin: AuthorizationVerdict.Origin?
  /// Additional rows of the table, between the reason and the mode.
  var rows: [[String]] = []
  var mode = AuthMode.enforced

  var lines: [String] {
    let accuracy = authorization.accuracy == .reducedAccuracy ? ", to about 5 km" : ""
    let ends = remainingSeconds.map { ", \(DurationText.text($0)) left" } ?? ""
    var table = TextTable()
    table.add(["client", name])
    table.add(["status", "\(authorization.status)\(accuracy)\(ends)"])
    table.add(["because", because])
    for row in rows { table.add(row) }
    table.add(["mode", mode.text])
    return table.lines
  }

  var object: [UInt8] {
    var line = JSONLine()
    line.object("AUTH") { line in
      line.string("client", "\(client)")
      line.string("status", "\(authorization.status)")
      line.string("accuracy", authorization.accuracy == .reducedAccuracy ? "reduced" : "full")
      line.integer("remaining", remainingSeconds.map { Int($0) })
      line.string("by", origin.map { "\($0)" })
      if let place = origin?.place {
        line.string("file", place.file)
        line.integer("line", place.line)
      }
      line.string("mode", mode.rawValue)
    }
    return line.bytes
  }
}

extension AuthExplanation {
  /// Gets the explanation from the daemon if this user may not read the operators' answers.
  ///
  /// The daemon reads the answers for every user, so an unreadable file does not mean that access
  /// is denied. The result is `nil` if this user may read the answers or there is no daemon.
  ///
  /// - Throws: `ExitCode` 77 for another user's access; the code of the daemon's error otherwise.
  init?(
    ofDaemonOn selector: ClientSelector, asking request: AuthorizationRequest?,
    _ context: AuthContext
  ) throws {
    guard context.mayNotReadAnswers, let daemon = DaemonAccess.clientIfFound else { return nil }
    let own = ProcessEvidence().ownIdentity()
    let command = context.paths.command(
      ["sudo", "fixcast", "auth", "explain"] + context.paths.words(selector))
    guard selector == own.evidence else {
      throw CommandFailure.notPermitted(
        "only root may read operators' answers, and the daemon reports only a user's own access; "
          + "see: \(command)")
    }
    let reported: DaemonAuthorization
    do throws(DaemonClientError) { reported = try daemon.statusNow().authorization } catch {
      throw DaemonAccess.failure(error)
    }
    let verdict = PredictedVerdict(
      reported: reported, asking: request, client: own, at: context.paths)?.verdict
    self.init(
      client: selector, name: context.paths.text(selector),
      authorization: verdict?.authorization ?? reported.authorization,
      because: verdict.map { $0.origin.text(context.paths.text) }
        ?? "the daemon's decision; root can see the answer or rule with: \(command)",
      origin: verdict?.origin)
    if reported.isPending {
      rows = [["waiting", "for an operator; see: sudo fixcast auth pending"]]
    }
  }
}
