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

  init(_ fields: inout FieldReader) {
    sentenceCount = fields.integer(upTo: 99)
    sentenceNumber = fields.integer(upTo: 99)
    identifier = fields.integer(upTo: 99)
    text = fields.rest()
  }
}
