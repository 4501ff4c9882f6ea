// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import NIOHTTP1

/// Encodes HTTP responses.
///
/// Each connection serves one request and is closed after its response.
enum HTTPAnswer {
  /// Restricts what a browser does with a response: no script or style in the page itself, no frame
  /// of another page, no use by a page of another origin.
  private static let commonFields = [
    "Connection: close", "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
    "Cross-Origin-Resource-Policy: same-origin",
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
      + "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
      + "frame-ancestors 'none'",
  ]
  private static let noStore = "Cache-Control: no-store"

  /// Returns a response with one JSON object.
  static func object(_ json: [UInt8], status: Int = 200) -> [UInt8] {
    head(status, ["Content-Type: application/json", "Content-Length: \(json.count)"]) + json
  }

  /// Returns a response with metrics.
  static func metrics(_ metrics: PrometheusText) -> [UInt8] {
    let body = Array(metrics.text.utf8)
    let fields = [
      "Content-Type: \(PrometheusText.contentType)", "Content-Length: \(body.count)",
    ]
    return head(200, fields) + body
  }

  /// Returns a response with a page.
  static func document(_ body: [UInt8], status: Int = 200) -> [UInt8] {
    head(status, ["Content-Type: text/html; charset=utf-8", "Content-Length: \(body.count)"])
      + body
  }

  /// Returns a response that sends the browser to a location; `cookie` starts a session.
  static func redirect(to location: String, cookie: String?) -> [UInt8] {
    let fields = ["Location: \(location)", "Content-Length: 0"]
    return head(303, fields + (cookie.map { ["Set-Cookie: \($0)"] } ?? []))
  }

  /// Returns a response with a file, in pieces; without a body if the client has the file.
  static func file(_ file: WebPage.File, to request: HTTPRequestHead) -> [[UInt8]] {
    let accepted = request.headers[canonicalForm: "Accept-Encoding"]
    let isCompressed =
      !file.compressed.isEmpty
      && accepted.contains { field in
        let parts = field.lowercased().filter { $0 != " " }.split(separator: ";")
        let isRefused = parts.dropFirst().contains { $0.allSatisfy("q=0.".contains) }
        return parts.first == "gzip" && !isRefused
      }
    let tag = "\"\(file.tag)\(isCompressed ? "-gzip" : "")\""
    var fields = ["ETag: \(tag)", "Vary: Accept-Encoding"]
    let known = request.headers[canonicalForm: "If-None-Match"]
    if known.contains(where: { $0 == tag[...] || $0 == "W/\(tag)"[...] || $0 == "*" }) {
      return [head(304, fields, caching: "Cache-Control: no-cache")]
    }
    let body = isCompressed ? file.compressed : file.plain
    let byteCount = body.reduce(0) { $0 + $1.count }
    fields += ["Content-Type: \(file.type)", "Content-Length: \(byteCount)"]
    if isCompressed { fields.append("Content-Encoding: gzip") }
    return [head(200, fields, caching: "Cache-Control: no-cache")] + body
  }

  /// Returns an error response.
  static func fault(_ fault: DaemonFault) -> [UInt8] { object(fault.json, status: fault.status) }

  /// Returns the head of an event stream, which declares the heartbeat interval.
  static func stream(heartbeatSeconds: Int) -> [UInt8] {
    head(
      200,
      ["Content-Type: text/event-stream", "\(DaemonHeartbeat.field): \(heartbeatSeconds)"])
  }

  private static func head(
    _ status: Int, _ fields: [String], caching: String = noStore
  ) -> [UInt8] {
    Array(
      (["HTTP/1.1 \(status) \(reason(status))"] + fields + [caching] + commonFields + ["", ""])
        .joined(separator: "\r\n").utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 303: "See Other"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Error"
    }
  }
}
