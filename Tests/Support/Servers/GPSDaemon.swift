// SPDX-License-Identifier: Apache-2.0

import Glibc

/// gpsd as its packages install it: the field's own judgement of a receiver.
package enum GPSDaemon {
  private static let gpsd = "/usr/sbin/gpsd"
  private static let gpspipe = "/usr/bin/gpspipe"

  /// Whether gpsd and its clients are there to be run.
  package static let isInstalled = access(gpsd, X_OK) == 0 && access(gpspipe, X_OK) == 0

  /// Starts gpsd on a receiver with one client listening, uses both, and ends them.
  ///
  /// - Parameters:
  ///   - devnode: The receiver; gpsd opens it as a user of few rights.
  ///   - options: Options besides those that a test always needs, such as `-b`.
  ///   - isolation: Where the body runs.
  ///   - body: What to do with the client, which prints gpsd's objects, once it has printed one.
  /// - Returns: What the body returns.
  /// - Throws: ``Loopback/SocketError``, ``ChildProcess/SpawnError``, and what the body throws.
  package static func use<Value>(
    devnode: String, options: [String] = [], isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let port = try ReservedPort()
    defer { port.release() }
    return try await serve(
      devnode: devnode, port: port.number, options: ["-n", "-D", "3"] + options
    ) { daemon in
      await daemon.lines.wait { lines in lines.contains { $0.contains("listening on port") } }
      return try await ChildProcess.use(
        path: gpspipe, arguments: ["-w", "-n", "1000", "127.0.0.1:\(port.number)"]
      ) { client in
        await client.lines.wait(for: 1)
        return try await body(client)
      }
    }
  }

  /// Starts gpsd on a receiver, uses it, and ends it.
  ///
  /// - Parameters:
  ///   - devnode: The receiver; gpsd opens it as a user of few rights.
  ///   - port: Where it serves; see ``ReservedPort``.
  ///   - options: Its options besides those that a test always needs.
  ///   - isolation: Where the body runs.
  ///   - body: What to do with it; it may not serve yet.
  /// - Returns: What the body returns.
  /// - Throws: ``ChildProcess/SpawnError``, and what the body throws.
  package static func serve<Value>(
    devnode: String, port: UInt16, options: [String],
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    // Several gpsd on one host would share one segment of memory.
    let key = "0x\(String(0x4650_0000 + Int(port), radix: 16))"
    return try await ChildProcess.use(
      path: gpsd, arguments: ["-N"] + options + ["-S", "\(port)", devnode],
      environment: ["GPSD_SHM_KEY": key], body)
  }
}
