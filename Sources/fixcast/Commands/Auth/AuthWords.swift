// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices

/// What can be said with any answer.
struct AuthWords: ParsableArguments {
  @Option(name: .customLong("for"), help: "How long, such as 90s, 10m, 2h or 7d; else for good.")
  var duration: String?

  @Option(name: .long, help: "Why, for the list and the log.")
  var reason: String?

  /// How long, in seconds; `nil` for good.
  func seconds() throws -> Int64? {
    guard let duration else { return nil }
    guard let seconds = DurationText.seconds(duration) else {
      throw CommandFailure.usage(
        "--for \(duration): \(DurationText.fault(in: duration) ?? "no duration")")
    }
    return seconds
  }
}
