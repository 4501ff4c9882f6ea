// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides which file a point belongs to, and where segments and tracks begin.
struct GPXTrack {
  /// Text to add to a track.
  struct Addition: Equatable {
    /// The name of the file.
    var name: String
    /// The connection to the previous point in the same file.
    var join: Join
    /// The point.
    var point: String
    /// The text that begins a track; used only if the point begins a track.
    var track: String
  }

  enum Join: Equatable {
    /// The point continues the segment.
    case continues
    /// The point begins a segment, because the path since the previous point is unknown.
    case segment
    /// The point begins a track, because the source changed.
    case track
  }

  /// The file name, with its `{date}` and `{start}` placeholders.
  var pattern: String
  /// The maximum time between two points of a segment, in seconds.
  var gapSeconds: Double
  private var last: Location?
  private var start: UTCTime?

  init(pattern: String, gapSeconds: Double) {
    self.pattern = pattern
    self.gapSeconds = gapSeconds
  }

  /// Adds a location and returns the text to write; `nil` if the file name contains a time, but no
  /// time is known yet.
  mutating func take(_ location: Location) -> Addition? {
    if start == nil { start = location.time }
    guard let name = name(for: location) else { return nil }
    defer { last = location }
    return Addition(
      name: name, join: join(location), point: GPXText.point(location),
      track: GPXText.track(from: location))
  }

  private func join(_ location: Location) -> Join {
    guard let last, last.source == location.source, last.isSimulated == location.isSimulated,
      last.isReplayed == location.isReplayed
    else { return .track }
    guard let seconds = location.secondsSince(last) else { return .segment }
    return seconds >= 0 && seconds <= gapSeconds ? .continues : .segment
  }

  private func name(for location: Location) -> String? {
    var name = pattern
    if name.contains("{date}") {
      // A point without a time belongs to the date of the previous point.
      guard let time = location.time ?? last?.time ?? start else { return nil }
      name = name.replacing("{date}", with: String(GPXText.time(time).prefix(10)))
    }
    if name.contains("{start}") {
      guard let start else { return nil }
      let text = GPXText.time(start).prefix(19) + "Z"
      name = name.replacing("{start}", with: String(text.filter { $0 != "-" && $0 != ":" }))
    }
    return name
  }
}
