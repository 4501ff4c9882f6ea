// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
import Glibc
import Plugins
import Positioning
import Receivers

/// `fixcast locate`: one location, then exit.
struct LocateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Say where the board is, once.",
    discussion: """
      Takes the first position of any of the sources named with --source, or of whatever there is.

      Exits 69 where there is no source, 75 where none had a position in time.
      """)

  @OptionGroup var sources: SourceOptions

  @Option(name: .long, help: "How long to wait, in seconds, 1 to 3600.")
  var timeout = 60

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout takes 1 to 3600 seconds, not \(timeout).")
    }
  }

  func run() async throws {
    let sessions = try sources.sessions()
    let names = sessions.map(\.source.name).joined(separator: ", ")
    let progress = json ? nil : "waiting for a position from \(names), \(timeout) s at most"
    if let progress, isatty(STDERR_FILENO) == 1 { StandardError.print(progress) }
    let outcome = await FirstFix(sessions: sessions, timeout: .seconds(timeout)).wait()
    switch outcome {
    case .fix(let fix): try show(fix)
    case .timedOut(let newest): throw CommandFailure.temporary(Self.reason(newest, names, timeout))
    case .ended(let failures):
      throw CommandFailure.unavailable(
        failures.isEmpty ? "\(names): ended without a position" : failures.joined(separator: "; "))
    }
  }

  private func show(_ fix: Fix) throws {
    var line = JSONLine()
    line.appendTPV(fix, now: .now())
    let bytes = json ? line.bytes : Array(FixText.lines(fix, now: .now()).utf8)
    do {
      try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes)
    } catch {
      throw CommandFailure.inputOutput("standard output: \(error)")
    }
  }

  /// Whether the receiver was mute or blind are two different things to mend.
  private static func reason(_ newest: Fix?, _ names: String, _ timeout: Int) -> String {
    guard let newest else {
      return "\(names): nothing came in \(timeout) s; is the receiver on, and its speed right?"
    }
    let satellites = newest.satellitesUsed.map { ", \($0) satellites used" } ?? ""
    return "\(names): the receiver answers and has no position after \(timeout) s\(satellites); "
      + "it needs a view of the sky"
  }
}
