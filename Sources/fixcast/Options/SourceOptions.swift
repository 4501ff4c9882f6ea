// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import Receivers

/// `--source`, as every command that needs fixes takes it.
struct SourceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Where fixes come from: auto, serial:DEVNODE[@BAUD], gpsd[:HOST[:PORT]], replay:FILE or \
      simulated. Several times for several sources.
      """)
  var source: [String] = ["auto"]

  func validate() throws {
    for text in source {
      guard let fault = SourceSpecification.fault(in: text) else { continue }
      throw ValidationError("--source \(text): \(fault).")
    }
  }

  /// The daemon, where it answers and nothing else was asked for: it has the receivers.
  ///
  /// - Throws: `ExitCode` 78 where it is not known whether it does.
  func daemon() throws -> DaemonClient? { source == ["auto"] ? try DaemonAccess.client() : nil }

  /// Whether a gpsd is all that was asked for.
  var isOneGPSD: Bool {
    guard source.count == 1, case .gpsd? = source.first.flatMap(SourceSpecification.init) else {
      return false
    }
    return true
  }

  /// Whether recordings are all that was asked for: input that is there or not, and no receiver.
  private var isRecorded: Bool {
    source.allSatisfy { if case .replay? = SourceSpecification($0) { true } else { false } }
  }

  /// The ports that were named.
  private var ports: [String] {
    source.compactMap {
      if case .serial(let devnode, _)? = SourceSpecification($0) { devnode } else { nil }
    }
  }

  /// What is to be said of a port that is named though the daemon reads it; `nil` where none is.
  var readByDaemon: String? { DaemonAccess.reads(ports) }

  /// How a command ends whose source has come to its end by itself.
  ///
  /// Returns the failure; `nil` where there is none.
  func failure(ofEnded failure: String?, _ counters: NMEACounters, _ name: String) -> ExitCode? {
    if let failure {
      guard !isRecorded else { return CommandFailure.noInput(failure) }
      let reader = readByDaemon
      // Of several each may have failed for a reason of its own.
      return CommandFailure.unavailable(
        source.count == 1
          ? reader ?? failure : [failure, reader].compactMap(\.self).joined(separator: "; "))
    }
    guard isRecorded, source.count == 1, counters.sentences == 0 else { return nil }
    return CommandFailure.noData(
      "\(name) holds no NMEA sentence with a right checksum; \(counters.explanation)")
  }

  /// Makes one source of all; none of them is opened yet.
  ///
  /// - Throws: `ExitCode` 69 where one is not to be had.
  func session() throws -> SourceSession {
    do {
      return try SourceFactory.system.session(for: source.compactMap(SourceSpecification.init))
    } catch {
      throw CommandFailure.unavailable("\(error)")
    }
  }
}
