// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Which file a point belongs to, and where segments and tracks begin.
struct GPXTrack {
  /// What is to be written.
  struct Addition: Equatable {
    /// The name of the file.
    var name: String
    /// How the point is joined to what came before it in the same file.
    var join: Join
    /// The point.
    var point: String
    /// What a track begins with, where one does.
    var track: String
  }

  enum Join: Equatable {
    /// The same segment.
    case continues
    /// A segment of its own: between the two nothing is known.
    case segment
    /// A track of its own: something else is written from here on.
    case track
  }

  /// The name, with `{date}` and `{start}` in it where they are wanted.
  var pattern: String
  /// How many seconds without a point break a track.
  var gapSeconds: Double
  private var last: Location?
  private var start: UTCTime?

  init(pattern: String, gapSeconds: Double) {
    self.pattern = pattern
    self.gapSeconds = gapSeconds
  }

  /// Takes a location.
  ///
  /// - Returns: `nil` where the name needs a time and no location had one yet.
  mutating func take(_ location: Location) -> Addition? {
    if start == nil { start = location.time }
    guard let name = name(for: location) else { return nil }
    defer { last = location }
    return Addition(
      name: name, join: join(location), point: GPXText.point(location),
      track: GPXText.track(from: location))
  }

  private func join(_ location: Location) -> Join {
    guard let last, last.source == location.source, last.isSimulated == location.isSimulated
    else { return .track }
    guard let seconds = location.secondsSince(last) else { return .segment }
    return seconds >= 0 && seconds <= gapSeconds ? .continues : .segment
  }

  private func name(for location: Location) -> String? {
    var name = pattern
    if name.contains("{date}") {
      // A point without a time belongs to the day of the one before it.
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
