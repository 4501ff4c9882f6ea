// SPDX-License-Identifier: Apache-2.0

/// A key with a function in the live view.
enum WatchKey: String, CaseIterable, Sendable {
  case quit = "q"
  case units = "u"
  case skyPlot = "s"
  case sentences = "n"
  case help = "?"
}

/// Recognizes the keys of the live view in the bytes that a terminal sends.
///
/// An arrow key or a function key sends a sequence that begins with escape. The letters of such a
/// sequence are not keys.
struct WatchKeys: Equatable, Sendable {
  private enum Position { case outside, afterEscape, inSequence, beforeLastByte }

  private static let escape: UInt8 = 0x1B
  private var position = Position.outside

  /// Returns the keys in the bytes of one read, in order.
  mutating func keys(in bytes: some Sequence<UInt8>) -> [WatchKey] {
    let keys = bytes.compactMap { key($0) }
    // The terminal sends a sequence at once, so a last byte of escape is the Esc key.
    if position == .afterEscape { position = .outside }
    return keys
  }

  private mutating func key(_ byte: UInt8) -> WatchKey? {
    switch position {
    case .outside:
      if byte == Self.escape { position = .afterEscape }
      let letter = String(UnicodeScalar(byte)).lowercased()
      return WatchKey(rawValue: letter)
    case .afterEscape:
      position =
        switch byte {
        case UInt8(ascii: "["): .inSequence
        case UInt8(ascii: "O"): .beforeLastByte
        case Self.escape: .afterEscape
        default: .outside
        }
    case .inSequence: if (0x40...0x7E).contains(byte) { position = .outside }
    case .beforeLastByte: position = .outside
    }
    return nil
  }
}
