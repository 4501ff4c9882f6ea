// SPDX-License-Identifier: Apache-2.0

/// Recognizes a binary protocol by complete frames with valid checksums.
///
/// Buffers only the beginning of one possible frame.
struct BinaryRecognizer: Sendable {
  /// The number of frames after which a protocol is recognized.
  static let framesNeeded = 3

  /// The number of bytes in complete frames; not cleared by ``reset()``.
  private(set) var framedByteCount: UInt64 = 0

  private var buffer: [UInt8] = []
  private var frames: [BinaryProtocol: Int] = [:]

  /// The protocol with the most frames; `nil` if no protocol has enough frames.
  var recognized: BinaryProtocol? {
    BinaryProtocol.allCases.filter { (frames[$0] ?? 0) >= Self.framesNeeded }
      .max { (frames[$0] ?? 0) < (frames[$1] ?? 0) }
  }

  /// Processes the next bytes.
  mutating func take(_ bytes: Span<UInt8>) {
    for index in bytes.indices { buffer.append(bytes[index]) }
    var position = 0
    while position < buffer.count {
      switch verdict(at: position) {
      case .frame(let length):
        position += max(length, 1)
        framedByteCount &+= UInt64(max(length, 1))
      case .none: position += 1
      case .incomplete:
        // The rest is longer than any frame, so `position` is not the beginning of a frame.
        guard buffer.count - position <= BinaryProtocol.maximumFrameLength else {
          position += 1
          continue
        }
        buffer.removeFirst(position)
        return
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Drops the buffer and all frame counts, for use after a change of the baud rate.
  mutating func reset() {
    buffer.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
  }

  private mutating func verdict(at position: Int) -> BinaryProtocol.Verdict {
    let rest = buffer[position...]
    var result = BinaryProtocol.Verdict.none
    for candidate in BinaryProtocol.allCases {
      switch candidate.verdict(rest) {
      case .frame(let length):
        frames[candidate, default: 0] += 1
        return .frame(length: length)
      case .incomplete: result = .incomplete
      case .none: break
      }
    }
    return result
  }
}
