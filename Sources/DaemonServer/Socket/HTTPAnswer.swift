// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol

/// Encodes HTTP responses.
///
/// Each connection serves one request and is closed after its response.
enum HTTPAnswer {
  private static let commonFields = [
    "Connection: close", "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
  ]

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

  /// Returns an error response.
  static func fault(_ fault: DaemonFault) -> [UInt8] { object(fault.json, status: fault.status) }

  /// Returns the head of an event stream, which declares the heartbeat interval.
  static func stream(heartbeatSeconds: Int) -> [UInt8] {
    head(
      200,
      ["Content-Type: text/event-stream", "\(DaemonHeartbeat.field): \(heartbeatSeconds)"])
  }

  private static func head(_ status: Int, _ fields: [String]) -> [UInt8] {
    Array(
      (["HTTP/1.1 \(status) \(reason(status))"] + fields + commonFields + ["", ""])
        .joined(separator: "\r\n").utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
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
