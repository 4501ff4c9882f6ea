// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import Positioning
import Receivers

/// `fixcast locate`: one location, then exit.
struct LocateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Say where the board is, once.",
    discussion: """
      Asks the daemon where it runs, and it decides what you may know. Without it, or with \
      another --source, takes the first position of any of the sources named with --source, or of whatever there is \
      or is plugged in meanwhile.

      Whoever runs it asks for themselves, so that no answer is needed. What 'fixcast auth' or a \
      policy file says against it holds.

      Exits 65 where a recording holds nothing, 66 where it is not there, 69 where there is no \
      receiver, 75 where none had a position in time, 77 where you may not know.
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
    if let daemon = try sources.daemon() { return try await locate(by: daemon) }
    let consent = try await LocationConsent(
      purpose: "fixcast locate", timeout: .seconds(timeout))
    let session = try sources.session()
    let name = session.source.name
    let outcome = await (progress("a position from \(name)") ?? .silent).during { [timeout] in
      await FirstFix(session: session, timeout: .seconds(timeout)).wait()
    }
    switch outcome {
    case .fix(let fix): try show(try await consent.allowed(fix))
    case .timedOut(let newest?): throw CommandFailure.temporary(reason(newest, name))
    case .timedOut(nil): throw silence(session.situation, session.counters, name)
    case .ended(let failure):
      throw sources.failure(ofEnded: failure, session.counters, name)
        ?? CommandFailure.unavailable("\(name): ended without a position")
    }
  }

  /// The daemon decides what may be known, and waits for an operator where nobody has decided.
  private func locate(by daemon: DaemonClient) async throws {
    try show(
      try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: "fixcast locate",
        progress: progress("the daemon")))
  }

  private func progress(_ what: String) -> WaitNotice? {
    json ? nil : .onStandardError("waiting for \(what), \(timeout) s at most")
  }

  private func show(_ fix: Fix) throws {
    var line = JSONLine()
    line.appendTPV(fix, now: .now())
    let bytes = json ? line.bytes : Array(FixText.lines(fix, now: .now()).utf8)
    try Output.write(bytes)
  }

  /// Whether the receiver was mute, blind or not there are three different things to mend.
  private func reason(_ newest: Fix, _ name: String) -> String {
    let satellites = newest.satellitesUsed.map { ", \($0) satellites used" } ?? ""
    return "\(newest.source ?? name): the receiver answers and has no position after "
      + "\(timeout) s\(satellites); it needs a view of the sky"
  }

  private func silence(
    _ situation: SourceSituation, _ counters: NMEACounters, _ name: String
  ) -> ExitCode {
    let isGPSD = sources.isOneGPSD
    guard situation.hadReceiver else {
      if isGPSD, situation.summary == nil {
        return CommandFailure.unavailable(
          "\(name): no answer in \(timeout) s. Give it longer (--timeout), or check host and port")
      }
      return CommandFailure.unavailable(
        situation.summary.map { "\(name): no receiver in \(timeout) s; \($0)" }
          ?? "\(name): no receiver was there in \(timeout) s; plug one in, or see fixcast doctor")
    }
    let came =
      switch (counters.bytes, counters.sentences) {
      case _ where isGPSD:
        "gpsd answers, and no position came in \(timeout) s. See what it has: gpspipe -w "
          + name.dropFirst("gpsd:".count)
      case (0, _): "nothing came in \(timeout) s; is the receiver on, and its speed right?"
      case (let bytes, 0):
        "\(bytes) bytes and no valid sentence in \(timeout) s; is the speed right?"
      case (_, let sentences):
        "\(sentences) valid sentences and no position in \(timeout) s; see fixcast doctor"
      }
    return CommandFailure.temporary(
      "\(name): \(came)"
        + (situation.summary.map { " \($0)" } ?? ""))
  }
}
