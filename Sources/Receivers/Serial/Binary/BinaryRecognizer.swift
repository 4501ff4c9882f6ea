// SPDX-License-Identifier: Apache-2.0

/// Tells whether a line speaks a binary protocol, by whole frames with right sums.
///
/// Keeps what may be the beginning of one frame, and no more.
struct BinaryRecognizer: Sendable {
  /// So many frames of one protocol are no accident.
  static let framesNeeded = 3

  /// The bytes of all whole frames; a reset leaves it.
  private(set) var framedByteCount: UInt64 = 0

  private var kept: [UInt8] = []
  private var frames: [BinaryProtocol: Int] = [:]

  /// The protocol of which enough frames have come; the one with the most where several have.
  var recognized: BinaryProtocol? {
    BinaryProtocol.allCases.filter { (frames[$0] ?? 0) >= Self.framesNeeded }
      .max { (frames[$0] ?? 0) < (frames[$1] ?? 0) }
  }

  /// Takes the next bytes.
  mutating func take(_ bytes: Span<UInt8>) {
    for index in bytes.indices { kept.append(bytes[index]) }
    var position = 0
    while position < kept.count {
      switch verdict(at: position) {
      case .frame(let length):
        position += max(length, 1)
        framedByteCount &+= UInt64(max(length, 1))
      case .none: position += 1
      case .incomplete:
        // A long wait for one false start must not hide what comes behind it.
        guard kept.count - position <= BinaryProtocol.maximumFrameLength else {
          position += 1
          continue
        }
        kept.removeFirst(position)
        return
      }
    }
    kept.removeAll(keepingCapacity: true)
  }

  /// Forgets everything: the speed has changed.
  mutating func reset() {
    kept.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
  }

  private mutating func verdict(at position: Int) -> BinaryProtocol.Verdict {
    let rest = kept[position...]
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
