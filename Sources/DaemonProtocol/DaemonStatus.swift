// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// The daemon's status, limited to what the client is authorized to see: a `STATUS` object.
///
///     {"class":"STATUS","version":1,"mode":"enforced","client":"uid=1000",
///      "authorization":{...},"connections":3,"daemon":{...}}
public struct DaemonStatus: Equatable, Sendable {
  /// The version of the protocol.
  public static let version = 1

  /// The client's identity as the kernel reports it, such as `uid=1000`.
  public var client: String
  /// The client's authorization.
  public var authorization: DaemonAuthorization
  /// Number of open connections.
  public var connectionCount: Int
  /// Number of connections refused because there were too many.
  public var refusedCount: Int
  /// The daemon's report as a compact JSON object.
  ///
  /// The report contains information about the location only if the client is authorized.
  public var daemon: [UInt8]

  /// Creates a status.
  public init(
    client: String, authorization: DaemonAuthorization, connectionCount: Int, refusedCount: Int,
    daemon: [UInt8] = []
  ) {
    self.client = client
    self.authorization = authorization
    self.connectionCount = connectionCount
    self.refusedCount = refusedCount
    self.daemon = daemon
  }

  /// The object as JSON, with a newline.
  public var json: [UInt8] {
    var line = JSONLine(reservingCapacity: 256)
    line.beginObject()
    line.constant("class", "STATUS")
    line.integer("version", Self.version)
    line.constant("mode", "enforced")
    line.string("client", client)
    line.integer("connections", connectionCount)
    line.integer("refused", refusedCount)
    line.endObject()
    line.endLine()
    var bytes = line.bytes
    bytes.removeLast(2)
    bytes += Array(#","authorization":"#.utf8) + authorization.json.dropLast()
    let report = daemon.last == UInt8(ascii: "\n") ? daemon.dropLast() : daemon[...]
    if !report.isEmpty { bytes += Array(#","daemon":"#.utf8) + report }
    return bytes + Array("}\n".utf8)
  }

  private struct Wire: Decodable {
    var client: String
    var connections: Int?
    var refused: Int?
    var authorization: DaemonAuthorization.Wire
  }

  /// Decodes an object; the daemon's report is copied to ``daemon`` unchanged.
  ///
  /// - Throws: ``DaemonDecodingError`` if the text is not such an object.
  public init(json: [UInt8]) throws(DaemonDecodingError) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(json)) else {
      throw DaemonDecodingError(what: String(decoding: json.prefix(200), as: UTF8.self))
    }
    let key = Array(#","daemon":"#.utf8)
    let start = json.indices.first { json[$0...].starts(with: key) }
    var report = start.map { Array(json[($0 + key.count)...]) } ?? []
    while report.last == UInt8(ascii: "\n") { report.removeLast() }
    if !report.isEmpty { report.removeLast() }
    self.init(
      client: wire.client, authorization: wire.authorization.value(),
      connectionCount: wire.connections ?? 0, refusedCount: wire.refused ?? 0, daemon: report)
  }
}
