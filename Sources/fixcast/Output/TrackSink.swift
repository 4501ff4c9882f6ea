// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Pipeline
import Plugins
import Positioning

/// A sink that writes locations as a track to standard output.
actor TrackSink: Sink {
  nonisolated let name = "track"
  private let output: Output
  private var encoder: TrackEncoder

  init(_ format: TrackFormat, output: Output) {
    self.output = output
    encoder = TrackEncoder(format)
  }

  func receive(_ event: any PipelineEvent) async throws {
    guard let location = (event as? LocationEvent)?.location else { return }
    try output.write(Array(encoder.encode(location).utf8))
  }

  /// Writes the end of the track, after the last event; `Output` records a failure.
  func finish() { try? output.write(Array(encoder.finish().utf8)) }
}
