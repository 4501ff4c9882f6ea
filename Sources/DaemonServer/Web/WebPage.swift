// SPDX-License-Identifier: Apache-2.0

internal import CWebPage

/// The files of the status page.
///
/// A file is compressed when it is first requested. All connections share the compressed bytes.
enum WebPage {
  /// A file that does not depend on the client.
  struct File: Sendable {
    let type: String
    /// The entity tag of the contents, without quotes.
    let tag: String
    /// The file in the format of gzip, in pieces that all connections share; empty if it could not be
    /// compressed.
    let compressed: [[UInt8]]
    private let file: fixcast_web_file

    fileprivate init(_ file: fixcast_web_file, type: String) {
      self.type = type
      self.file = file
      tag = WebPage.withBytes(of: file) { bytes in
        // FNV-1a with 64 bits: a tag distinguishes the files of two versions of the program.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
          ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(hash, radix: 16)
      }
      let capacity = WebPage.withBytes(of: file) { $0.count + 1024 }
      compressed = WebPage.pieces(
        Array(unsafeUninitializedCapacity: capacity) { buffer, count in
          count = fixcast_web_gzip(file, buffer.baseAddress, buffer.count)
        })
    }

    /// The file as it is, in pieces.
    var plain: [[UInt8]] { WebPage.pieces(WebPage.withBytes(of: file) { Array($0) }) }
  }

  /// The size of a piece: a connection in progress holds one copy of one piece.
  private static let pieceBytes = 8192

  private static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: pieceBytes).map {
      Array(bytes[$0..<min($0 + pieceBytes, bytes.count)])
    }
  }

  /// Returns the file at a path; `nil` if there is none.
  static func file(_ path: Substring) -> File? {
    switch path {
    case "/fixcast.css": style
    case "/fixcast.js": script
    case "/coastline.bin": coastline
    case "/v1/openapi.json": openAPI
    default: nil
    }
  }

  private static let style = File(fixcast_web_style, type: "text/css; charset=utf-8")
  private static let script = File(fixcast_web_script, type: "text/javascript; charset=utf-8")
  private static let coastline = File(fixcast_web_coastline, type: "application/octet-stream")
  private static let openAPI = File(fixcast_web_openapi, type: "application/json")

  /// Returns the page with the state of the board as text.
  static func index(state: String) -> [UInt8] {
    withBytes(of: fixcast_web_index) { bytes in
      let placeholder = Array("<!--STATE-->".utf8)
      let start = bytes.indices.first { bytes[$0...].starts(with: placeholder) }
      guard let start else { return Array(bytes) }
      return bytes[..<start] + Array(escaped(state).utf8)
        + bytes[(start + placeholder.count)...]
    }
  }

  /// Returns a page that shows one paragraph, for a browser without a session.
  static func notice(title: String, text: String) -> [UInt8] {
    Array(
      """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escaped(title))</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/fixcast.css">
      <main>
      <h1>\(escaped(title))</h1>
      <p>\(escaped(text))</p>
      </main>
      </html>

      """.utf8)
  }

  /// Returns a text with the characters escaped that have a meaning in HTML.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func withBytes<Result>(
    of file: fixcast_web_file, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var length = 0
    let start = fixcast_web_bytes(file, &length)
    return body(UnsafeRawBufferPointer(start: start, count: length))
  }
}
