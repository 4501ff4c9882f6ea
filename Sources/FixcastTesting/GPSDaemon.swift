// SPDX-License-Identifier: Apache-2.0

import Glibc

/// gpsd as its packages install it: the field's own judgement of a receiver.
public enum GPSDaemon {
  /// Why gpsd could not be started.
  public struct PortError: Error {
    /// What the system said.
    public let errorNumber: Int32
  }

  private static let gpsd = "/usr/sbin/gpsd"
  private static let gpspipe = "/usr/bin/gpspipe"

  /// Whether gpsd and its clients are there to be run.
  public static let isInstalled = access(gpsd, X_OK) == 0 && access(gpspipe, X_OK) == 0

  /// Starts gpsd on a receiver with one client listening, uses both, and ends them.
  ///
  /// - Parameters:
  ///   - devnode: The receiver; gpsd opens it as a user of few rights.
  ///   - options: Options besides those that a test always needs, such as `-b`.
  ///   - isolation: Where the body runs.
  ///   - body: What to do with the client, which prints gpsd's objects, once it has printed one.
  /// - Returns: What the body returns.
  /// - Throws: ``PortError``, ``ChildProcess/SpawnError``, and what the body throws.
  public static func use<Value>(
    devnode: String, options: [String] = [], isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let port = try freePort()
    // Several gpsd on one host would share one segment of memory.
    let key = "0x\(String(0x4650_0000 + Int(port), radix: 16))"
    return try await ChildProcess.use(
      path: gpsd, arguments: ["-N", "-n", "-D", "3"] + options + ["-S", "\(port)", devnode],
      environment: ["GPSD_SHM_KEY": key]
    ) { daemon in
      await daemon.lines.wait { lines in lines.contains { $0.contains("listening on port") } }
      return try await ChildProcess.use(
        path: gpspipe, arguments: ["-w", "-n", "1000", "127.0.0.1:\(port)"]
      ) { client in
        await client.lines.wait(for: 1)
        return try await body(client)
      }
    }
  }

  /// A port that was free a moment ago.
  private static func freePort() throws(PortError) -> UInt16 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw PortError(errorNumber: errno) }
    return address.sin_port.bigEndian
  }
}
