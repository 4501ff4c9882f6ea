// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// The number of sessions of the status page that a request has ended: an `ENDED` object.
///
///     {"class":"ENDED","sessions":2}
package struct EndedSessions: Hashable, Sendable {
  package var count: Int

  package init(count: Int) { self.count = count }

  private struct Wire: Decodable { var sessions: Int }

  /// Decodes an object; `nil` if the text is not such an object.
  package init?(json: [UInt8]) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(json)) else { return nil }
    self.init(count: wire.sessions)
  }

  /// Returns the number of the session that a request ends; `nil` for all sessions.
  ///
  /// - Throws: ``DaemonFault`` if the body is not an object with at most this member, or if the number
  ///   is not positive.
  static func session(json: [UInt8]) throws(DaemonFault) -> UInt64? {
    guard let request = try? JSONDecoder().decode([String: UInt64].self, from: Data(json)),
      request.keys.allSatisfy({ $0 == "session" }), request["session"] != 0
    else { throw .malformed("the body takes an object with the number of a session, or {}") }
    return request["session"]
  }

  /// The object as JSON, with a newline.
  package var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 64)
    line.beginObject()
    line.constant("class", "ENDED")
    line.integer("sessions", count)
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
