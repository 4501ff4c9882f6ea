// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import Positioning
import Receivers
import SystemSupport

/// `fixcast locate`: prints one location, then exits.
struct LocateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "locate",
    abstract: "Print where the board is, once.",
    discussion: """
      With --source or a device, prints the first position from the named sources. Otherwise, \
      gets the position from the daemon. If no daemon is running, uses the configured sources, \
      else gpsd or any receiver that is connected now or during the wait.

      Users other than root need permission, once: sudo fixcast auth allow USER. Without it, the \
      command prints this line with your user, waits, and continues when the permission is given. \
      A recording, the simulation and gpsd on another host need no permission.

      With --last, prints the last position that the daemon received, with its age and marked as \
      not current, if there is no current position. The daemon keeps this position in memory \
      only; after its restart, the command waits for a position.

      Exits 65 if a recording contains no sentences, 66 if it does not exist, 69 if there is no \
      receiver, 75 if there was no position in time, 77 if you are not authorized.

      Examples:
        fixcast locate
        fixcast locate /dev/ttyUSB0
        fixcast locate --json --timeout 20 | jq '[.lat, .lon]'
      """)

  @Argument(
    help: ArgumentHelp("Device of a receiver; short for --source.", valueName: "device"),
    completion: .file())
  var devices: [String] = []

  @OptionGroup var sourceOptions: SourceOptions

  @Option(name: .long, parsing: .unconditional, help: "Time limit in seconds, 1 to 3600.")
  var timeout = 60

  @Flag(name: .long, help: "Accept the last known position, marked as not current.")
  var last = false

  @OptionGroup var units: UnitsOption

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  private var sources: SourceOptions { sourceOptions.adding(devices) }

  func validate() throws {
    try sources.validate()
    guard (1...3600).contains(timeout) else {
      throw ValidationError("--timeout takes 1 to 3600 seconds, not \(timeout).")
    }
  }

  func run() async throws {
    if let daemon = try sources.daemon() { return try await locate(by: daemon) }
    guard !last else { throw CommandFailure.lastWithoutDaemon }
    let consent = try await sources.consent(
      purpose: "fixcast locate", timeout: .seconds(timeout))
    let session = try sources.session()
    let name = session.source.name
    let outcome = await (progress("a position from \(name)") ?? .silent).during { [timeout] in
      await FirstFix(session: session, timeout: .seconds(timeout)).wait()
    }
    switch outcome {
    case .fix(let fix):
      let fix = try await consent?.authorizedFix(fix) ?? fix
      try show(LastKnownFix(fix, isCurrent: true))
    case .timedOut(let newest): throw noPositionError(session, newest, name)
    case .ended(let failure):
      throw sources.failure(ofEnded: failure, session.counters, name)
        ?? CommandFailure.unavailable(
          "\(name): ended without a position; received \(session.counters.lines.text)")
    }
  }

  /// Gets the location from the daemon, which checks access and, if necessary, waits for an
  /// operator's answer.
  private func locate(by daemon: DaemonClient) async throws {
    try show(
      try await DaemonAccess.location(
        daemon, timeoutSeconds: timeout, purpose: "fixcast locate", acceptsLast: last,
        progress: progress("the daemon")))
  }

  private func progress(_ subject: String) -> WaitNotice? {
    json ? nil : .onStandardError("waiting for \(subject), \(timeout) s at most")
  }

  private func show(_ known: LastKnownFix) throws {
    var line = JSONLine()
    line.appendTPV(known.fix, now: .now(), isLast: !known.isCurrent)
    let text = FixText.lines(
      known.fix, now: .now(), isCurrent: known.isCurrent, format: units.format)
    let bytes = json ? line.bytes : Array(text.utf8)
    try Output.write(bytes)
    if known.fix.coordinate?.isZero == true { StandardError.print("fixcast: \(ZeroPosition.text)") }
    if let clock = ReceiverClock(known.fix),
      let error = SystemClockError(system: SystemClock.utcNow(), receiver: clock, at: .now())
    {
      StandardError.print("fixcast: \(error)")
    }
  }

  /// Reports that no position arrived: no receiver, no data, no valid NMEA, or no fix.
  private func noPositionError(
    _ session: SourceSession, _ newest: Fix?, _ name: String
  ) -> ExitCode {
    let (diagnosis, counters) = (session.diagnosis, session.counters)
    if counters.bytes > 0 { StandardError.print("received \(counters.lines.text)") }
    if diagnosis.hadReceiver, let noFix = diagnosis.noFix {
      let others = diagnosis.notices.filter { !$0.hasPrefix("\(noFix.source ?? name): ") }
      return CommandFailure.temporary((["\(noFix)"] + others).joined(separator: "; "))
    }
    if let newest {
      // A recording or a simulation, whose satellites are not recorded.
      let satellites = newest.satellitesUsed.map { ", \($0) satellites used" } ?? ""
      return CommandFailure.temporary(
        "\(newest.source ?? name): no position in \(timeout) s\(satellites); set a longer --timeout"
      )
    }
    let isGPSD = sources.isOneGPSD
    guard diagnosis.hadReceiver else {
      if isGPSD, diagnosis.summary == nil {
        return CommandFailure.unavailable(
          "\(name): no answer in \(timeout) s; check host and port, or set a longer --timeout")
      }
      return CommandFailure.unavailable(
        diagnosis.summary.map { "\(name): no receiver in \(timeout) s; \($0)" }
          ?? "\(name): no receiver in \(timeout) s; plug one in, or see: fixcast doctor")
    }
    let reason =
      switch (counters.bytes, counters.sentences) {
      case _ where isGPSD:
        "gpsd responds, but no position in \(timeout) s; see its output: gpspipe -w "
          + name.dropFirst("gpsd:".count)
      case (0, _): "no data in \(timeout) s; check that the receiver is switched on"
      case (let bytes, 0):
        "\(bytes) bytes but no valid sentence in \(timeout) s; see: fixcast doctor"
      case (_, let sentences):
        "\(sentences) valid sentences but no position in \(timeout) s; see: fixcast doctor"
      }
    return CommandFailure.temporary(
      "\(name): \(reason)"
        + (diagnosis.summary.map { "; \($0)" } ?? ""))
  }
}
