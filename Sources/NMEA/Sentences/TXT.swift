// SPDX-License-Identifier: Apache-2.0

/// TXT: a line of text from the receiver.
///
///            1  2  3  4
///            |  |  |  |
///     $--TXT,xx,xx,xx,c--c*hh
///
/// Example:
///
///     $GPTXT,01,01,02,u-blox ag - www.u-blox.com*50
///
/// <https://gpsd.io/NMEA.html#_txt_text_transmission>
public struct TXT: Equatable, Sendable {
  /// 1: number of sentences in the message.
  public var sentenceCount: UInt32?
  /// 2: number of this sentence in the message, from 1.
  public var sentenceNumber: UInt32?
  /// 3: kind of text; from u-blox 0 error, 1 warning, 2 notice, 7 user.
  public var identifier: UInt32?
  /// 4: text, including commas.
  public var text: ShortText

  /// The identifier of an error.
  public static let error: UInt32 = 0
  /// The identifier of a warning.
  public static let warning: UInt32 = 1

  /// The state of the antenna that the text states; `nil` if the text is about something else.
  ///
  /// u-blox and MediaTek send `ANTSTATUS=OPEN` (u-blox 8 protocol description, TXT and UBX-MON-HW),
  /// CASIC sends `ANTENNA OPEN` (CASIC protocol specification, TXT), and others `ANT_OPEN` or
  /// `Antenna: open`.
  public var antenna: AntennaState? {
    guard text.matches("ANT", at: 0) else { return nil }
    var offset = text.matches("ENNA", at: 3) ? 7 : 3
    skipSeparators(&offset)
    if text.matches("STATUS", at: offset) {
      offset &+= 6
      skipSeparators(&offset)
    }
    for (word, state) in Self.antennaWords where text.matches(word, at: offset) { return state }
    return nil
  }

  private func skipSeparators(_ offset: inout Int) {
    while Self.separators.contains(text[offset]) { offset &+= 1 }
  }

  /// Blank, `-`, `:`, `=` and `_`.
  private static let separators: [UInt8] = [0x20, 0x2D, 0x3A, 0x3D, 0x5F]

  private static let antennaWords: [(StaticString, AntennaState)] = [
    ("OK", .good), ("OPEN", .open), ("SHORT", .shorted), ("INIT", .unknown),
    ("DONTKNOW", .unknown),
  ]

  init(_ fields: inout FieldReader) {
    sentenceCount = fields.integer(upTo: 99)
    sentenceNumber = fields.integer(upTo: 99)
    identifier = fields.integer(upTo: 99)
    text = fields.rest()
  }
}
