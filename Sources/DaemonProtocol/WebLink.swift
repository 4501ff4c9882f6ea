// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// A link that opens the status page once: a `LINK` object.
///
///     {"class":"LINK","url":"http://127.0.0.1:8080/login?t=...","expires":300}
package struct WebLink: Hashable, Sendable {
  package var url: String
  /// The time in which the link has to be opened, in seconds.
  package var expiresSeconds: Int

  package init(url: String, expiresSeconds: Int) {
    self.url = url
    self.expiresSeconds = expiresSeconds
  }

  private struct Wire: Decodable {
    var url: String
    var expires: Int
  }

  /// Decodes an object; `nil` if the text is not such an object.
  package init?(json: [UInt8]) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(json)) else { return nil }
    self.init(url: wire.url, expiresSeconds: wire.expires)
  }

  /// The object as JSON, with a newline.
  package var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "LINK")
    line.string("url", url)
    line.integer("expires", expiresSeconds)
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
