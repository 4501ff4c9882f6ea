// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge

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

  /// Whether a gpsd is all that was asked for.
  var isOneGPSD: Bool {
    guard source.count == 1, case .gpsd? = source.first.flatMap(SourceSpecification.init) else {
      return false
    }
    return true
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
