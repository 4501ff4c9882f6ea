// SPDX-License-Identifier: Apache-2.0

import Glibc
import Plugins
import Positioning

/// Prints fixes and skies as JSON lines, or fixes with a position as a track, in large writes.
final class EventPrinter {
  /// The number of buffered bytes from which the buffer is written.
  private static let writeThreshold = 65_536

  private let device: String?
  private var track: TrackEncoder?
  private var line = JSONLine(reservingCapacity: writeThreshold + 16_384)
  private var trackBytes: [UInt8] = []
  private let output = DescriptorOutput(descriptor: STDOUT_FILENO)
  private var failure: DescriptorOutput.Failure?
  /// Whether a fix, a sky or a point of a track was printed.
  private(set) var hasPrinted = false

  /// Creates a printer for one device; without a name, the key `device` is omitted.
  init(device: String?, format: DecodedFormat = .jsonlines) {
    self.device = device
    track = format.track.map { TrackEncoder($0) }
  }

  /// Prints a fix or a sky, omitting `time` if the date is unknown.
  func print(_ event: FixSourceEvent) {
    if track != nil { return printTrack(event) }
    switch event {
    case .fix(let fix):
      if let heading = Heading(fix) { line.appendATT(heading) }
      line.appendTPV(fix)
    case .sky(let sky): line.appendSKY(sky, device: device)
    // A recording has no connection events, and `decode` prints neither instruments nor messages.
    case .sentences, .instruments, .connected, .receiver, .message, .lost: return
    }
    hasPrinted = true
    if line.bytes.count >= Self.writeThreshold { write() }
  }

  private func printTrack(_ event: FixSourceEvent) {
    guard case .fix(let fix) = event, let location = Location(fix),
      let text = track?.encode(location)
    else { return }
    hasPrinted = true
    trackBytes += text.utf8
    if trackBytes.count >= Self.writeThreshold { write() }
  }

  /// Writes the buffered lines and the end of a track.
  ///
  /// - Throws: `ExitCode` 74 if any write has failed.
  func flush() throws {
    if let end = track?.finish() { trackBytes += end.utf8 }
    write()
    if let failure { throw Output.failure(failure.number) }
  }

  private func write() {
    do throws(DescriptorOutput.Failure) {
      try output.write(track == nil ? line.bytes : trackBytes)
    } catch {
      failure = failure ?? error
    }
    line.removeAll()
    trackBytes.removeAll(keepingCapacity: true)
  }
}
