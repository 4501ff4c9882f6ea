// SPDX-License-Identifier: Apache-2.0

@testable import NMEA

/// A simple reference implementation of the framer, which processes one byte at a time.
struct ReferenceFramer {
  private enum State {
    case start, stray, comment, overlong
    case tagBlock(UInt64)
    case line([UInt8])
  }

  private(set) var result = Framed()
  private var state = State.start
  private let skipsComments: Bool
  /// Whether the last byte was a CR, which ends a line without an LF.
  private var isAfterReturn = false
  /// Whether no byte but CR has been read since the start, the last LF or the last tag block.
  private var isAtLineStart = true

  init(skipsComments: Bool) { self.skipsComments = skipsComments }

  static func frame(_ bytes: [UInt8], skipsComments: Bool) -> Framed {
    var framer = ReferenceFramer(skipsComments: skipsComments)
    for byte in bytes { framer.take(byte) }
    framer.end(by: nil)
    return framer.result
  }

  private mutating func take(_ byte: UInt8) {
    let isControl = byte < 0x20
    if isAfterReturn, byte != 0x0A, byte != 0x0D { result.lineNumber += 1 }
    if byte == 0x0D {
      isAfterReturn = isAfterReturn || !isAtLineStart
    } else {
      isAfterReturn = false
      isAtLineStart = byte == 0x0A
    }
    if case .line(var line) = state, !isControl, byte != 0x24 {
      line.append(byte)
      state = .line(line)
      if line.count == 1025 {
        result.counters.overlongLines += 1
        result.counters.lostBytes += 1025
        state = .overlong
      }
      return
    }
    let wasOverlong = if case .overlong = state { true } else { false }
    var wasComment = if case .comment = state { true } else { false }
    if wasComment, !(0x20...0x7E).contains(byte), !"\t\r\n".utf8.contains(byte) {
      state = .stray
      wasComment = false
    }
    let startsLine = !wasComment && (byte == 0x24 || (byte == 0x21 && !wasOverlong))
    if startsLine || (isControl && !wasComment) { end(by: byte) }
    if byte == 0x0A { result.lineNumber += 1 }
    if byte == 0x0A || byte == 0x0D {
      state = .start
    } else if startsLine {
      state = .line([byte])
    } else {
      skip(byte)
    }
  }

  /// Ends the current line or tag block, if any.
  private mutating func end(by byte: UInt8?) {
    switch state {
    case .tagBlock(let count): result.counters.strayBytes += count
    case .line(let line) where byte == 0x0A || byte == 0x0D || (isWhole(line) && !isNoise(byte)):
      result.lines.append(
        Framed.Line(
          bytes: line, exclusiveOr: line.dropFirst().reduce(0, ^), number: result.lineNumber))
    case .line(let line) where isNoise(byte) || line.count == 1:
      result.counters.strayBytes += UInt64(line.count)
    case .line(let line):
      result.counters.brokenLines += 1
      result.counters.lostBytes += UInt64(line.count)
    case .start, .stray, .comment, .overlong: return
    }
    state = .stray
  }

  private func isNoise(_ byte: UInt8?) -> Bool { byte.map { $0 < 0x20 } ?? false }

  private func isWhole(_ line: [UInt8]) -> Bool {
    guard line.count > 3, line[line.count - 3] == 0x2A else { return false }
    return line.suffix(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
  }

  private mutating func skip(_ byte: UInt8) {
    if byte < 0x20, case .overlong = state { state = .stray }
    switch state {
    case .comment: result.counters.skippedBytes += 1
    case .overlong: result.counters.lostBytes += 1
    case .tagBlock(let count) where byte == 0x5C:
      result.counters.tagBlocks += 1
      result.counters.skippedBytes += count + 1
      state = .start
      isAtLineStart = true
    case .tagBlock(let count): state = .tagBlock(count + 1)
    case .start where byte == 0x23 && skipsComments:
      result.counters.skippedBytes += 1
      state = .comment
    case .start where byte == 0x5C: state = .tagBlock(1)
    case .start, .stray, .line:
      result.counters.strayBytes += 1
      if isNoise(byte), !"\t\u{B}\u{C}\u{1B}".utf8.contains(byte) {
        result.counters.controlBytes += 1
      }
      state = .stray
    }
  }
}
