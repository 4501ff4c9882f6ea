// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
internal import LocationServices
import Plugins
import Positioning

/// `fixcast track export [FILE]`: writes a recorded track in a format of other programs.
struct TrackExport: ParsableCommand {
  /// The number of buffered bytes from which the buffer is written.
  private static let writeThreshold = 65_536
  /// The maximum length of the name of a receiver, in bytes.
  private static let maxSourceBytes = 4096

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the recorded track as GPX, CSV or GeoJSON to standard output.",
    discussion: """
      Reads the file of a sqlite or gpx sink, also while the daemon writes it. The default is the \
      file of the first such sink of the configuration. You need permission to read the file.

      Exits 65 if the file contains no location between the times, or is no track, 66 if it cannot \
      be read, 78 if the configuration names no file.

      Examples:
        fixcast track export > track.gpx
        fixcast track export --format csv --since 2026-11-21 --until 2026-11-22
        fixcast track export --format geojson /var/lib/fixcast/track.sqlite
      """)

  @Argument(
    help: "The file of the sink (default: from the configuration).", completion: .file())
  var file: String?

  @Option(name: .long, help: "Output format.")
  var format = TrackFormat.gpx

  @Option(name: .long, help: "Earliest time in UTC, such as 2026-11-21 or 2026-11-21T12:00:00Z.")
  var since: UTCTime?

  @Option(name: .long, help: "Latest time in UTC; a date alone means its beginning.")
  var until: UTCTime?

  func run() throws {
    let track = try file.map { TrackFile(path: $0) } ?? TrackFile.configured()
    let output = Output(json: false)
    var encoder = TrackEncoder(format)
    var buffer: [UInt8] = []
    var count = 0
    func flush() throws {
      try? output.write(buffer)
      try output.check()
      buffer.removeAll(keepingCapacity: true)
    }
    try track.read(since: since, until: until) { location in
      count += 1
      var location = location
      // The file may be another user's. The name of a receiver must not control the terminal.
      location.source = location.source.map {
        UntrustedText.plain($0, maxBytes: Self.maxSourceBytes)
      }
      buffer += encoder.encode(location).utf8
      if buffer.count >= Self.writeThreshold { try flush() }
    }
    guard count > 0 else {
      let limits = since == nil && until == nil ? "" : " between the times"
      throw CommandFailure.noData("\(track.path): no location\(limits)")
    }
    buffer += encoder.finish().utf8
    try flush()
  }
}

extension TrackFormat: ExpressibleByArgument {}
