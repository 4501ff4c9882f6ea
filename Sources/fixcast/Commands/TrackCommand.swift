// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast track`: the recorded track.
struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Export the recorded track.",
    discussion: """
      The track is in the file of a sqlite or gpx sink.

      Examples:
        fixcast track export > track.gpx
      """,
    subcommands: [TrackExport.self])
}
