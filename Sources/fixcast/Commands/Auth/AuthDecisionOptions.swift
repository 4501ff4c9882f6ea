// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices

/// The duration and reason of an answer.
struct AuthDecisionOptions: ParsableArguments {
  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: "Duration, such as 90s, 10m, 2h or 7d (default: permanent).")
  var duration: String?

  @Option(name: .long, help: "Reason, shown in the list and the log.")
  var reason: String?

  /// The duration in seconds; `nil` for a permanent answer.
  func seconds() throws -> Int64? {
    guard let duration else { return nil }
    guard let seconds = DurationText.seconds(duration) else {
      throw CommandFailure.usage(
        "--for \(duration): \(DurationText.fault(in: duration) ?? "invalid duration")")
    }
    return seconds
  }
}
