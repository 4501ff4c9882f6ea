// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Positioning

/// How the daemon is, as far as the client may know: a `STATUS` object.
///
///     {"class":"STATUS","version":1,"mode":"enforced","client":"uid=1000",
///      "authorization":{...},"connections":3,"daemon":{...}}
public struct DaemonStatus: Equatable, Sendable {
  /// The version of what is spoken on the socket.
  public static let version = 1

  /// What the daemon takes the client for, by the kernel's word.
  public var client: String
  /// What the client may know.
  public var authorization: DaemonAuthorization
  /// How many are connected.
  public var connectionCount: Int
  /// How many have been refused for being too many.
  public var refusedCount: Int
  /// What the daemon says of the rest, an object; nothing in it says where the board is to somebody
  /// who may not know that.
  public var daemon: [UInt8]

  /// Makes it.
  ///
  /// - Parameters:
  ///   - client: What the daemon takes the client for.
  ///   - authorization: What the client may know.
  ///   - connectionCount: How many are connected.
  ///   - refusedCount: How many have been refused.
  ///   - daemon: What the daemon says of the rest, one compact object.
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

  /// The object as it is sent, a line.
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
    let own = daemon.last == UInt8(ascii: "\n") ? daemon.dropLast() : daemon[...]
    if !own.isEmpty { bytes += Array(#","daemon":"#.utf8) + own }
    return bytes + Array("}\n".utf8)
  }

  private struct Wire: Decodable {
    var client: String
    var connections: Int?
    var refused: Int?
    var authorization: DaemonAuthorization.Wire
  }

  /// Reads an object; what the daemon says of the rest stays as it is in ``daemon``.
  ///
  /// - Parameter json: The object.
  /// - Throws: ``DaemonUnreadable``.
  public init(json: [UInt8]) throws(DaemonUnreadable) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: Data(json)) else {
      throw DaemonUnreadable(what: String(decoding: json.prefix(200), as: UTF8.self))
    }
    let key = Array(#","daemon":"#.utf8)
    let start = json.indices.first { json[$0...].starts(with: key) }
    var rest = start.map { Array(json[($0 + key.count)...]) } ?? []
    while rest.last == UInt8(ascii: "\n") { rest.removeLast() }
    if !rest.isEmpty { rest.removeLast() }
    self.init(
      client: wire.client, authorization: wire.authorization.value(),
      connectionCount: wire.connections ?? 0, refusedCount: wire.refused ?? 0, daemon: rest)
  }
}
