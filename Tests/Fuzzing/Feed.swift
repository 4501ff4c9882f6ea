// SPDX-License-Identifier: Apache-2.0

import Positioning

/// How an input is fed: its options, where it is cut, and when its pieces arrive.
struct Feed {
  private let flags: UInt8
  private let step: Int

  /// Takes two bytes of the input for it.
  init(flags: UInt8, step: UInt8) {
    self.flags = flags
    self.step = Int(step)
  }

  var allowsMissingChecksum: Bool { flags & 1 != 0 }
  var skipsComments: Bool { flags & 2 != 0 }
  var knowsTimes: Bool { flags & 4 == 0 }
  var waits: Bool { flags & 8 != 0 }
  var mendsChecksums: Bool { flags & 32 == 0 }

  /// Calls with each piece of the bytes, and with the time at which it arrives.
  ///
  /// Pieces are one to 256 bytes long, and up to 2.6 s apart, as their own bytes have it; with
  /// one flag set, time now and then stands still or runs backwards.
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
