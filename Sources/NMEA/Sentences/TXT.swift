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
  /// CASIC sends `ANTENNA OPEN` (CASIC protocol specification, TXT).
  public var antenna: AntennaState? {
    guard text.starts(with: "ANT") else { return nil }
    for (name, state) in Self.antennaTexts where text.starts(with: name) { return state }
    return nil
  }

  private static let antennaTexts: [(StaticString, AntennaState)] = [
    ("ANTSTATUS=OK", .good), ("ANTSTATUS=OPEN", .open), ("ANTSTATUS=SHORT", .shorted),
    ("ANTSTATUS=INIT", .unknown), ("ANTSTATUS=DONTKNOW", .unknown), ("ANTENNA OK", .good),
    ("ANTENNA OPEN", .open), ("ANTENNA SHORT", .shorted), ("ANTENNAOK", .good),
    ("ANTENNAOPEN", .open), ("ANTENNASHORT", .shorted),
  ]

  init(_ fields: inout FieldReader) {
    sentenceCount = fields.integer(upTo: 99)
    sentenceNumber = fields.integer(upTo: 99)
    identifier = fields.integer(upTo: 99)
    text = fields.rest()
  }
}
