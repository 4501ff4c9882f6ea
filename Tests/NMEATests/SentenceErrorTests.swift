// SPDX-License-Identifier: Apache-2.0

import NMEA
import Testing

@Suite("Sentence error")
struct SentenceErrorTests {
  @Test(arguments: [
    ("$HEHDT,341.8,T*02", "line 1: checksum is 02, computed 21 \"$HEHDT,341.8,T*02\""),
    ("$HEHDT,341.8,T", "line 1: no checksum \"$HEHDT,341.8,T\""),
    ("$*00", "line 1: no address \"$*00\""),
    (line("HEHDT,x,T"), "line 1, HEHDT field 1: not a number \"x\""),
    (line("HEHDT,361,T"), "line 1, HEHDT field 1: out of range \"361\""),
    (line("HEHDT,1,M"), "line 1, HEHDT field 2: unexpected letter \"M\""),
    (line("GPGLL,,,,,1,A"), "line 1, GPGLL field 5: not a time of day \"1\""),
    (line("GPRMC,,,,,,,,,1,,,"), "line 1, GPRMC field 9: not a date \"1\""),
    (line("GPGLL,1,,,,,A"), "line 1, GPGLL field 2: unexpected letter"),
  ])
  func `the description of a sentence error contains line, address, field, error and value`(
    text: String, description: String
  ) {
    #expect(Reading(text + "\n").errors.map(\.description) == [description])
  }

  @Test func `the fault of a sentence error has no bytes of the line, which may contain a position`() {
    let errors = Reading(
      [line("HEHDT,x,T"), "$HEHDT,341.8,T*02"].joined(separator: "\n") + "\n"
    ).errors
    #expect(
      errors.map(\.fault) == ["HEHDT field 1: not a number", "checksum is 02, computed 21"])
  }

  @Test(arguments: [
    ("$GPGGA,1", true), ("!AIVDM,1", true), ("$GGA,1", true), ("$PUBX,00", true),
    ("$ ls -l, a", false), ("$gpgga,1", false), ("$GPGGA", false), ("$PS,1", false),
    ("$HOME/a,b", false),
  ])
  func `a line begins like a sentence with $ or !, three capital letters or digits, and a comma`(
    text: String, isAddressed: Bool
  ) {
    #expect(Reading(text + "\n").errors.map(\.value.isAddressed) == [isAddressed])
  }
}
