// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import FixcastConfiguration
import Receivers
internal import SystemSupport

/// The `--source` option, shared by the commands that read fixes.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Source of fixes: auto, a device such as /dev/ttyUSB0 or /dev/ttyUSB0@9600, \
      gpsd[:HOST[:PORT]], replay:FILE or simulated. Repeatable, for several sources. auto is the \
      daemon if it runs, else the configured sources, else gpsd and any known receiver.
      """,
    completion: .file())
  var source: [String] = ["auto"]

  @Flag(
    name: .long,
    help: "Also accept sentences without a checksum from the named devices; damage is unnoticed.")
  var allowMissingChecksum = false

  /// Returns the options with the devices of a command's arguments as further sources.
  func adding(_ devices: [String]) -> SourceOptions {
    guard !devices.isEmpty else { return self }
    var options = self
    options.source = source.filter { $0 != "auto" } + devices
    return options
  }

  func validate() throws {
    for text in source {
      guard let fault = SourceSpecification.fault(in: text) else { continue }
      throw ValidationError("\(text.isEmpty ? "\"\"" : text): \(fault).")
    }
  }

  /// Returns a client of the daemon, which reads the receivers; `nil` if no daemon is running or
  /// the options name a source.
  ///
  /// - Throws: `ExitCode` 78 if the daemon cannot be found because the configuration is invalid, 64
  ///   if a source may not be read without checksums.
  func daemon() throws -> DaemonClient? {
    guard !allowMissingChecksum || named.allSatisfy(\.isSerial) else {
      throw CommandFailure.usage(
        "--allow-missing-checksum needs the device of the receiver, e.g. /dev/ttyUSB0; for a log, "
          + "use decode")
    }
    return source == ["auto"] ? try DaemonAccess.client() : nil
  }

  /// The sources to open without the daemon: the named ones, else the configured ones.
  var specifications: [SourceSpecification] {
    source == ["auto"] ? BoardConfiguration.sources : named
  }

  /// The named sources.
  private var named: [SourceSpecification] {
    source.compactMap(SourceSpecification.init).map {
      guard allowMissingChecksum, case .serial(let devnode, let baud, _) = $0 else { return $0 }
      return .serial(devnode: devnode, baud: baud, allowsMissingChecksum: true)
    }
  }

  /// Whether a gpsd is the only source.
  var isOneGPSD: Bool {
    guard specifications.count == 1, case .gpsd? = specifications.first else { return false }
    return true
  }

  /// Whether all sources are recordings, so that a missing file is an input error.
  private var isRecorded: Bool { specifications.allSatisfy(\.isRecording) }

  /// Whether a source is a recording, which may be from another place.
  var hasRecording: Bool { specifications.contains(where: \.isRecording) }

  /// The names of the sources.
  var names: String { specifications.map { "\($0)" }.joined(separator: ", ") }

  /// Requests authorization for the sources; `nil` if none of them reveals where this board is.
  ///
  /// - Throws: As ``LocationConsent``.
  func consent(purpose: String, timeout: Duration) async throws -> LocationConsent? {
    let specifications = specifications
    // Blocks while a name is resolved.
    let revealsThisBoard = await BlockingThread.value {
      specifications.contains { $0.revealsThisBoard }
    }
    return revealsThisBoard
      ? try await LocationConsent(purpose: purpose, timeout: timeout) : nil
  }

  /// The device nodes of the serial sources.
  private var ports: [String] {
    specifications.compactMap { if case .serial(let devnode, _, _) = $0 { devnode } else { nil } }
  }

  /// The error message if the daemon already reads a named port; `nil` otherwise.
  var portConflict: String? { DaemonAccess.portConflict(ports) }

  /// Reports why a source ended by itself, and returns the exit code; `nil` if no error occurred.
  func failure(ofEnded failure: String?, _ counters: NMEACounters, _ name: String) -> ExitCode? {
    if let failure {
      guard !isRecorded else { return CommandFailure.noInput(failure) }
      let conflict = portConflict
      // With several sources, the conflict may not be the failure, so both are reported.
      return CommandFailure.unavailable(
        specifications.count == 1
          ? conflict ?? failure : [failure, conflict].compactMap(\.self).joined(separator: "; "))
    }
    guard isRecorded, specifications.count == 1, counters.hasDecodedNothing else {
      return nil
    }
    let file = String(source[0].dropFirst("replay:".count))
    return CommandFailure.noData(
      "\(name): nothing decoded: "
        + counters.explanation(of: ForeignFileFormat(path: file), file: file))
  }

  /// Combines all sources into one session, without opening any yet.
  ///
  /// - Parameter sentences: Receives the raw sentences of the receivers; `nil` to record none.
  /// - Returns: The session.
  /// - Throws: `ExitCode` 69 if a source cannot be created.
  func session(recordingInto sentences: RawSentences? = nil) throws -> SourceSession {
    do {
      return try SourceFactory.system(recordingInto: sentences).session(for: specifications)
    } catch {
      throw CommandFailure.unavailable("\(error)")
    }
  }
}
