// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import Receivers

/// The `--source` option, shared by the commands that read fixes.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Source of fixes: auto, serial:DEVNODE[@BAUD], gpsd[:HOST[:PORT]], replay:FILE or simulated. \
      Repeatable, for several sources.
      """)
  var source: [String] = ["auto"]

  func validate() throws {
    for text in source {
      guard let fault = SourceSpecification.fault(in: text) else { continue }
      throw ValidationError("--source \(text): \(fault).")
    }
  }

  /// Returns a client of the daemon, which holds the receivers; `nil` if no daemon is running or
  /// the options name a source.
  ///
  /// - Throws: `ExitCode` 78 if the daemon cannot be found because the configuration is invalid.
  func daemon() throws -> DaemonClient? { source == ["auto"] ? try DaemonAccess.client() : nil }

  /// Whether a gpsd is the only source.
  var isOneGPSD: Bool {
    guard source.count == 1, case .gpsd? = source.first.flatMap(SourceSpecification.init) else {
      return false
    }
    return true
  }

  /// Whether all sources are recordings, so that a missing file is an input error.
  private var isRecorded: Bool {
    source.allSatisfy { if case .replay? = SourceSpecification($0) { true } else { false } }
  }

  /// The device nodes named with `--source serial:`.
  private var ports: [String] {
    source.compactMap {
      if case .serial(let devnode, _)? = SourceSpecification($0) { devnode } else { nil }
    }
  }

  /// The error for a named port that the daemon already reads; `nil` if it reads none of them.
  var portConflict: String? { DaemonAccess.portConflict(ports) }

  /// Reports why a source ended by itself, and returns the exit code; `nil` if no error occurred.
  func failure(ofEnded failure: String?, _ counters: NMEACounters, _ name: String) -> ExitCode? {
    if let failure {
      guard !isRecorded else { return CommandFailure.noInput(failure) }
      let conflict = portConflict
      // If there are several sources, another source than the port may have failed.
      return CommandFailure.unavailable(
        source.count == 1
          ? conflict ?? failure : [failure, conflict].compactMap(\.self).joined(separator: "; "))
    }
    guard isRecorded, source.count == 1, counters.sentences == 0 else { return nil }
    return CommandFailure.noData(
      "\(name) contains no NMEA sentence with a valid checksum; \(counters.explanation)")
  }

  /// Combines all sources into one session, without opening any yet.
  ///
  /// - Throws: `ExitCode` 69 if a source cannot be created.
  func session() throws -> SourceSession {
    do {
      return try SourceFactory.system.session(for: source.compactMap(SourceSpecification.init))
    } catch {
      throw CommandFailure.unavailable("\(error)")
    }
  }
}
