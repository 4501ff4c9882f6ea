// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
import Positioning
internal import SystemSupport

/// `fixcast auth pending`: what waits for an answer.
struct AuthPending: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending", abstract: "List requests that wait, with the command for each.")

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let desk = try AuthContext(options)
    var ledger = try desk.ledger()
    // What programs waited for that have ended; the next write forgets it.
    ledger.prune(at: desk.now)
    if json {
      var line = JSONLine()
      for request in ledger.pending { Self.append(request, desk, to: &line) }
      return try desk.print(line.bytes)
    }
    guard !ledger.pending.isEmpty else { return try desk.print(["nothing waits"]) }
    var table = TextTable(maxWidth: 40)
    for request in ledger.pending {
      table.add(
        [
          "\(request.selector)", request.summary,
          Self.age(request, desk), Self.asker(request), request.purpose.onOneLine,
        ],
        remark: "-> " + desk.places.command(request.answer))
    }
    let reach = ledger.pending.lazy.compactMap { desk.reach(of: $0.selector) }.first
    try desk.print(table.lines + (reach.map { ["note: an answer: \($0)"] } ?? []))
  }

  private static func age(_ request: PendingRequest, _ desk: AuthContext) -> String {
    desk.now.seconds(since: request.created).map { DurationText.text($0) + " ago" } ?? "earlier"
  }

  private static func asker(_ request: PendingRequest) -> String {
    "process " + request.processes.map { "\($0.process)" }.joined(separator: ", ")
  }

  private static func append(
    _ request: PendingRequest, _ desk: AuthContext, to line: inout JSONLine
  ) {
    line.object("AUTHREQUEST") { line in
      line.integer("id", Int(clamping: request.id))
      line.string("client", "\(request.selector)")
      line.string(
        "requested",
        request.fullAccuracyPurposeKey == nil ? request.request.rawValue : "fullAccuracy")
      line.string("purposeKey", request.fullAccuracyPurposeKey)
      line.string("purpose", request.purpose)
      line.time("time", UTCTime(secondsSince1970: request.created.utcSeconds))
      line.string("answer", desk.places.command(request.answer))
    }
  }
}

extension String {
  /// The text without what controls a terminal.
  var onOneLine: String {
    String(
      unicodeScalars.map { scalar -> Character in
        scalar.properties.generalCategory == .control
          || scalar.properties.generalCategory == .format
          ? "?" : Character(scalar)
      })
  }
}
