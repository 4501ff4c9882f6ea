// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a heading as a line with a gpsd `ATT` object.
  ///
  /// The object of an epoch is written before the `TPV` with the same device and time.
  public mutating func appendATT(_ heading: Heading) {
    appendATTObject(heading)
    endLine()
  }

  /// Writes an `ATT` object without the end of the line.
  package mutating func appendATTObject(_ heading: Heading) {
    beginObject()
    constant("class", "ATT")
    string("device", heading.source)
    time("time", heading.time)
    decimal("heading", heading.degreesTrue, places: 3)
    decimal("mheading", heading.degreesMagnetic, places: 3)
    decimal("roll", heading.rollDegrees, places: 3)
    decimal("pitch", heading.pitchDegrees, places: 3)
    if heading.isSimulated { boolean("simulated", true) }
    if heading.isReplayed { boolean("replayed", true) }
    endObject()
  }
}
