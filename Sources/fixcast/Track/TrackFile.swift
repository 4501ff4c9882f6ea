// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import FixcastConfiguration
import Pipeline
import Plugins
import Positioning

/// The file of a `sqlite` or `gpx` sink.
struct TrackFile {
  let path: String

  /// Reads the locations of the file.
  ///
  /// - Throws: `ExitCode` 66 if the file cannot be read, 65 if it is no track, and any error of
  ///   `body`.
  func read(
    since: UTCTime?, until: UTCTime?, _ body: (Location) throws -> Void
  ) throws {
    var input = try InputFile(path: path)
    var begin: [UInt8] = []
    try input.readAhead(while: begin.isEmpty) { chunk in
      for index in chunk.indices.prefix(512) { begin.append(chunk[index]) }
    }
    let text = String(decoding: begin, as: UTF8.self)
    if text.hasPrefix("SQLite format 3") {
      do {
        try TrackReader(path: path).read(since: since, until: until, body)
      } catch let error as TrackFault {
        throw CommandFailure.noInput("\(error)")
      }
    } else if text.contains("creator=\"fixcast\"") {
      var track = GPXTrackFile()
      try input.readChunks { chunk in
        try track.read(chunk) { location in
          if since != nil || until != nil {
            guard let time = location.time, since.map({ time >= $0 }) ?? true,
              until.map({ time <= $0 }) ?? true
            else { return }
          }
          try body(location)
        }
      }
    } else {
      throw CommandFailure.noData("\(path): not a track of a sqlite or gpx sink")
    }
  }

  /// Returns the file of the first `sqlite` sink, or of the first `gpx` sink, of the configuration.
  ///
  /// - Throws: `ExitCode` 78 if the configuration is invalid or has no such sink.
  static func configured() throws -> TrackFile {
    let configuration: DaemonConfiguration
    BoardConfiguration.warnIfUnreadable()
    switch BoardConfiguration.table.flatMap({ DaemonConfiguration.read($0, catalog: .known) }) {
    case .success(let read): configuration = read
    case .failure(let errors):
      throw CommandFailure.configuration(
        "the configuration is invalid: \(errors.all.first.map { "\($0)" } ?? ""); "
          + "see: fixcast check-config; or name the file: fixcast track export FILE")
    }
    for type in ["sqlite", "gpx"] {
      let files = configuration.plugins(.sink).filter { $0.type == type }
        .compactMap { sink -> String? in
          if case .string(let file)? = sink.settings["file"]?.value { file } else { nil }
        }
      // A name with a date stands for many files.
      if let file = files.first(where: { !$0.contains("{") }) { return TrackFile(path: file) }
      if let file = files.first {
        throw CommandFailure.configuration(
          "the configuration writes several files, \(file); name one: fixcast track export FILE")
      }
    }
    throw CommandFailure.configuration(
      "the configuration has no sqlite or gpx sink; name the file: fixcast track export FILE")
  }
}
