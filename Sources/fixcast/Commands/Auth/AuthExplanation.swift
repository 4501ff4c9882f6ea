// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import LocationServices
import Positioning

/// What holds for a client and why, for `fixcast auth explain` to print.
struct AuthExplanation {
  var client: ClientSelector
  var authorization: Authorization
  var remainingSeconds: Int64?
  var because: String
  /// The word that decided; `nil` where only the daemon knows it.
  var origin: AuthorizationVerdict.Origin?
  /// Rows of the table between the reason and the mode.
  var rows: [[String]] = []
  var mode = AuthMode.enforced

  var lines: [String] {
    let accuracy = authorization.accuracy == .reducedAccuracy ? ", to about 5 km" : ""
    let ends = remainingSeconds.map { ", \(DurationText.text($0)) left" } ?? ""
    var table = TextTable()
    table.add(["client", "\(client)"])
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
  /// Asks the daemon about whoever runs the command, where operators' answers are for root to read.
  ///
  /// The daemon reads them for every user: that this one cannot says nothing of what it may know.
  /// The result is `nil` where answers can be read, or no daemon answers.
  ///
  /// - Throws: `ExitCode` where it is about somebody else, or the daemon does not say.
  init?(
    ofDaemonOn selector: ClientSelector, asking request: AuthorizationRequest?, _ desk: AuthContext
  ) throws {
    guard case .failure(let error) = desk.evaluation().ledger, error.isPermission,
      let daemon = DaemonAccess.clientIfFound
    else { return nil }
    let own = ProcessEvidence().ownIdentity()
    let command = desk.places.command(["sudo", "fixcast", "auth", "explain"] + selector.words)
    guard selector == own.evidence else {
      throw CommandFailure.notPermitted(
        "operators' answers are for root to read, and the daemon tells each user of themselves alone; "
          + "see: \(command)")
    }
    let told: DaemonAuthorization
    do throws(DaemonClientError) { told = try daemon.statusNow().authorization } catch {
      throw DaemonAccess.failure(error)
    }
    let verdict = PredictedVerdict(told: told, asking: request, client: own, at: desk.places)?
      .verdict
    self.init(
      client: selector, authorization: verdict?.authorization ?? told.authorization,
      because: verdict.map { "\($0.origin)" }
        ?? "the daemon says so; which answer or rule it is, root can see: \(command)",
      origin: verdict?.origin)
    if told.isPending { rows = [["waiting", "for an operator; see: sudo fixcast auth pending"]] }
  }
}
