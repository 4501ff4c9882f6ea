// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
import Positioning
internal import SystemSupport

/// `fixcast auth pending`: the requests that wait for an answer.
struct AuthPending: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending", abstract: "List waiting requests, with the command that grants each.")

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let context = try AuthContext(options)
    var ledger = try context.ledger()
    // Omits requests of programs that have ended; the next write removes them from the file.
    ledger.prune(at: context.now)
    if json {
      var line = JSONLine()
      for request in ledger.pending { Self.append(request, context, to: &line) }
      return try context.print(line.bytes)
    }
    guard !ledger.pending.isEmpty else { return try context.print(["no requests are waiting"]) }
    var table = TextTable(maxWidth: 40)
    for request in ledger.pending {
      table.add(
        [
          context.paths.text(request.selector), request.summary,
          Self.age(request, context), Self.requesters(request), request.purpose.onOneLine,
        ],
        remark: "-> " + context.paths.command(request.answer(context.paths.words)))
    }
    let daemonNote = ledger.pending.lazy.compactMap { context.daemonNote(for: $0.selector) }.first
    try context.print(table.lines + (daemonNote.map { ["note: \($0)"] } ?? []))
  }

  private static func age(_ request: PendingRequest, _ context: AuthContext) -> String {
    context.now.seconds(since: request.created).map { DurationText.text($0) + " ago" } ?? "earlier"
  }

  private static func requesters(_ request: PendingRequest) -> String {
    "process " + request.processes.map { "\($0.process)" }.joined(separator: ", ")
  }

  private static func append(
    _ request: PendingRequest, _ context: AuthContext, to line: inout JSONLine
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
      line.string("answer", context.paths.command(request.answer(context.paths.words)))
    }
  }
}

extension String {
  /// The text with control and format characters replaced, so that they do not reach a terminal.
  var onOneLine: String {
    String(
      unicodeScalars.map { scalar -> Character in
        scalar.properties.generalCategory == .control
          || scalar.properties.generalCategory == .format
          ? "?" : Character(scalar)
      })
  }
}
