// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Plugins

/// The format of decoded fixes on standard output.
enum DecodedFormat: String, CaseIterable, ExpressibleByArgument {
  case jsonlines, gpx, csv, geojson

  /// The track; `nil` for JSON lines, which contain skies and epochs without a position too.
  var track: TrackFormat? { TrackFormat(rawValue: rawValue) }
}
