// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The way in which an input is passed to the code: options, chunk sizes and arrival times.
struct Feed {
  private let flags: UInt8
  private let step: Int

  /// Makes a feed from the first two bytes of an input of the fuzzer.
  init(flags: UInt8, step: UInt8) {
    self.flags = flags
    self.step = Int(step)
  }

  var allowsMissingChecksum: Bool { flags & 1 != 0 }
  var skipsComments: Bool { flags & 2 != 0 }
  var passesArrivalTimes: Bool { flags & 4 == 0 }
  var completesOnSilence: Bool { flags & 8 != 0 }
  var repairsChecksums: Bool { flags & 32 == 0 }

  /// Calls a body with each chunk of the bytes and its arrival time.
  ///
  /// Chunks are 1 to 256 bytes long and up to 2.6 s apart, depending on the feed and on the first
  /// byte of the chunk. With the flag 16, time occasionally runs backwards.
  func forEachChunk(of bytes: Span<UInt8>, _ body: (Span<UInt8>, MonotonicTime) -> Void) {
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var start = 0
    while start < bytes.count {
      let length = min(1 + (step &+ Int(bytes[start])) & 0xFF, bytes.count - start)
      let runsBackwards = flags & 16 != 0 && bytes[start] & 7 == 0
      let gap = Int64(bytes[start]) &* Int64(flags) &* 40_000
      now = now.advanced(byNanoseconds: runsBackwards ? -gap : gap)
      body(bytes.extracting(start..<start + length), now)
      start += length
    }
  }
}
