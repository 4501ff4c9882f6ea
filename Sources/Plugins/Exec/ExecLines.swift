// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The lines of the exec protocol that Fixcast sends in addition to the JSON lines of events.
enum ExecLines {
  /// Returns Fixcast's `HELLO`, with the protocol version.
  static func hello(role: StaticString, name: String) -> [UInt8] {
    var line = JSONLine()
    line.beginObject()
    line.constant("class", "HELLO")
    line.integer("protocol", ExecCommand.protocolVersion)
    line.constant("role", role)
    line.string("name", name)
    line.endObject()
    line.endLine()
    return line.bytes
  }

  /// Returns the line that requests data for a location from a stage.
  static func enrich(_ location: Location, id: UInt64, now: MonotonicTime) -> [UInt8] {
    var object = JSONLine()
    object.appendTPV(Fix(location), now: now)
    var bytes = Array("{\"class\":\"ENRICH\",\"id\":\(id),\"location\":".utf8)
    bytes += object.bytes.dropLast()
    bytes += Array("}\n".utf8)
    return bytes
  }

  /// Returns the line that sends the data from a stage to sinks.
  static func enriched(_ finding: ExecEnrichment.Finding, at location: Location) -> [UInt8] {
    var head = JSONLine()
    head.beginObject()
    head.constant("class", "ENRICHED")
    head.string("source", finding.source)
    head.time("time", location.time)
    head.decimal("lat", location.coordinate.latitudeDegrees, places: 9, trims: false)
    head.decimal("lon", location.coordinate.longitudeDegrees, places: 9, trims: false)
    if location.isSimulated { head.boolean("simulated", true) }
    if location.isReplayed { head.boolean("replayed", true) }
    head.endObject()
    head.endLine()
    var bytes = Array(head.bytes.dropLast(2))
    bytes += Array(",\"data\":".utf8)
    bytes += finding.json
    bytes += Array("}\n".utf8)
    return bytes
  }
}
