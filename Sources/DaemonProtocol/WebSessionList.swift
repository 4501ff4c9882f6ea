// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// The sessions of the status page: a `SESSIONS` object.
///
///     {"class":"SESSIONS","sessions":[{"number":1,"client":"uid=0","browser":"...","expires":41000}]}
package struct WebSessionList: Hashable, Sendable {
  package struct Session: Hashable, Sendable, Decodable {
    package var number: UInt64
    /// The user who created the link of the session, such as `uid=1000`.
    package var client: String
    /// The name that the browser gives itself, which may be untrue; `nil` if it gives none.
    package var browser: String?
    /// The time until the session ends, in seconds.
    package var expires: Int

    package init(number: UInt64, client: String, browser: String?, expires: Int) {
      self.number = number
      self.client = client
      self.browser = browser
      self.expires = expires
    }
  }

  package var sessions: [Session]

  package init(sessions: [Session]) { self.sessions = sessions }

  private struct Wire: Decodable { var sessions: [Session] }

  /// Decodes an object; `nil` if the text is not such an object.
  package init?(json: [UInt8]) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(json)) else { return nil }
    self.init(sessions: wire.sessions)
  }

  /// The object as JSON, with a newline.
  package var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "SESSIONS")
    line.beginArray("sessions")
    for session in sessions {
      line.beginObject()
      line.integer("number", Int(clamping: session.number))
      line.string("client", session.client)
      line.string("browser", session.browser)
      line.integer("expires", session.expires)
      line.endObject()
    }
    line.endArray()
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
