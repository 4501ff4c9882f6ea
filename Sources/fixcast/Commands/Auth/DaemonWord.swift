// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import LocationServices
import Positioning

/// What the daemon says of whoever runs a command, where operators' answers are for root to read.
///
/// The daemon reads them for every user: that this one cannot says nothing of what it may know.
struct DaemonWord {
  private let client: ClientSelector
  private let authorization: Authorization
  private let told: DaemonAuthorization
  private let prospect: Prospect?
  /// The command that says which rule or answer it is.
  private let command: String

  /// Asks the daemon.
  ///
  /// - Parameters:
  ///   - selector: Who it is about.
  ///   - request: What would be asked for; `nil` for what this process asks the daemon for.
  ///   - desk: Where answers lie; `nil` is the result where they can be read, or no daemon answers.
  /// - Throws: `ExitCode` where it is about somebody else, or the daemon does not say.
  init?(
    on selector: ClientSelector, asking request: AuthorizationRequest?, _ desk: AuthDesk
  ) throws {
    guard case .failure(let error) = desk.evaluation().ledger, error.isPermission,
      let daemon = DaemonAccess.clientIfFound
    else { return nil }
    let own = ProcessEvidence().ownIdentity()
    command = desk.places.command(["sudo", "fixcast", "auth", "explain"] + selector.words)
    guard selector == ClientSelector(userID: own.userID, systemUnit: own.systemUnit) else {
      throw CommandFailure.notPermitted(
        "operators' answers are for root to read, and the daemon tells each user of themselves alone; "
          + "see: \(command)")
    }
    do throws(DaemonClientError) { told = try daemon.statusNow().authorization } catch {
      throw DaemonAccess.failure(error)
    }
    client = selector
    prospect = Prospect(told: told, asking: request, client: own, at: desk.places)
    authorization = prospect?.verdict.authorization ?? told.authorization
  }

  /// Why, as far as this user can see.
  private var because: String {
    guard let prospect else {
      return "the daemon says so; which answer or rule it is, root can see: \(command)"
    }
    return "\(prospect.verdict.origin)"
  }

  /// The word for people.
  var lines: [String] {
    let accuracy = authorization.accuracy == .reducedAccuracy ? ", to about 5 km" : ""
    var table = TextTable()
    table.add(["client", "\(client)"])
    table.add(["status", "\(authorization.status)\(accuracy)"])
    table.add(["because", because])
    if told.isPending { table.add(["waiting", "for an operator; see: sudo fixcast auth pending"]) }
    table.add(["mode", AuthMode.enforced.text])
    return table.lines
  }

  /// The word as an object.
  var object: [UInt8] {
    var line = JSONLine()
    line.beginObject()
    line.constant("class", "AUTH")
    line.string("client", "\(client)")
    line.string("status", "\(authorization.status)")
    line.string("accuracy", authorization.accuracy == .reducedAccuracy ? "reduced" : "full")
    line.string("by", prospect.map { "\($0.verdict.origin)" })
    line.string("mode", AuthMode.enforced.rawValue)
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
