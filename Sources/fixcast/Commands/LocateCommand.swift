// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import Positioning
import Receivers

/// `fixcast locate`: prints one location, then exits.
struct LocateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Print where the board is, once.",
    discussion: """
      If the daemon is running, gets the position from the daemon, which decides what you may \
      know. Otherwise, or if --source names a source, prints the first position from the named \
      sources, or from any receiver that is connected now or during the wait.

      Without the daemon, running the command is your own consent; no operator has to answer. A \
      denial by 'fixcast auth' or a policy file still applies.

      Exits 65 if a recording contains no sentences, 66 if it does not exist, 69 if there is no \
      receiver, 75 if there was no position in time, 77 if you are not authorized.
      """)

  @OptionGroup var sources: SourceOptions

  @Option(name: .long, help: "Time limit in seconds, 1 to 3600.")
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
    case .timedOut(let newest?): throw CommandFailure.temporary(noFixMessage(newest, name))
    case .timedOut(nil): throw noPositionError(session.situation, session.counters, name)
    case .ended(let failure):
      throw sources.failure(ofEnded: failure, session.counters, name)
        ?? CommandFailure.unavailable("\(name): ended without a position")
    }
  }

  /// Gets the location from the daemon, which checks access and, if necessary, waits for an
  /// operator's answer.
  private func locate(by daemon: DaemonClient) async throws {
    try show(
      try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: "fixcast locate",
        progress: progress("the daemon")))
  }

  private func progress(_ subject: String) -> WaitNotice? {
    json ? nil : .onStandardError("waiting for \(subject), \(timeout) s at most")
  }

  private func show(_ fix: Fix) throws {
    var line = JSONLine()
    line.appendTPV(fix, now: .now())
    let bytes = json ? line.bytes : Array(FixText.lines(fix, now: .now()).utf8)
    try Output.write(bytes)
  }

  /// The error for a receiver that sends data but has no position.
  private func noFixMessage(_ newest: Fix, _ name: String) -> String {
    let satellites = newest.satellitesUsed.map { ", \($0) satellites used" } ?? ""
    return "\(newest.source ?? name): the receiver responds but has no position after "
      + "\(timeout) s\(satellites); it needs a view of the sky"
  }

  /// Reports that no position arrived: no receiver, no data, no valid NMEA, or no fix.
  private func noPositionError(
    _ situation: SourceSituation, _ counters: NMEACounters, _ name: String
  ) -> ExitCode {
    let isGPSD = sources.isOneGPSD
    guard situation.hadReceiver else {
      if isGPSD, situation.summary == nil {
        return CommandFailure.unavailable(
          "\(name): no answer in \(timeout) s; check host and port, or set a longer --timeout")
      }
      return CommandFailure.unavailable(
        situation.summary.map { "\(name): no receiver in \(timeout) s; \($0)" }
          ?? "\(name): no receiver in \(timeout) s; plug one in, or see: fixcast doctor")
    }
    let reason =
      switch (counters.bytes, counters.sentences) {
      case _ where isGPSD:
        "gpsd responds, but no position in \(timeout) s; see its output: gpspipe -w "
          + name.dropFirst("gpsd:".count)
      case (0, _): "no data in \(timeout) s; check the receiver's power and the baud rate"
      case (let bytes, 0):
        "\(bytes) bytes but no valid sentence in \(timeout) s; check the baud rate"
      case (_, let sentences):
        "\(sentences) valid sentences but no position in \(timeout) s; see: fixcast doctor"
      }
    return CommandFailure.temporary(
      "\(name): \(reason)"
        + (situation.summary.map { "; \($0)" } ?? ""))
  }
}
