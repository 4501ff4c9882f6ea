// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The installed gpsd, which tests use as a reference.
package enum GPSDaemon {
  private static let gpsd = "/usr/sbin/gpsd"
  private static let gpspipe = "/usr/bin/gpspipe"

  /// Whether gpsd and gpspipe are installed.
  package static let isInstalled = access(gpsd, X_OK) == 0 && access(gpspipe, X_OK) == 0

  /// Starts gpsd on a receiver with one client, runs a body, and ends gpsd and the client.
  ///
  /// - Parameters:
  ///   - devnode: The receiver; gpsd opens it as an unprivileged user.
  ///   - options: Additional options, such as `-b`.
  ///   - isolation: The actor on which the body runs.
  ///   - body: Uses the client, which prints gpsd's objects; called after the client's first line.
  /// - Returns: The result of the body.
  /// - Throws: ``Loopback/SocketError``, ``ChildProcess/SpawnError``, or the error of the body.
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

  /// Starts gpsd on a receiver, runs a body, and ends gpsd.
  ///
  /// - Parameters:
  ///   - devnode: The receiver; gpsd opens it as an unprivileged user.
  ///   - port: The port of gpsd; see ``ReservedPort``.
  ///   - options: Additional options.
  ///   - isolation: The actor on which the body runs.
  ///   - body: Uses gpsd, which may not be listening yet.
  /// - Returns: The result of the body.
  /// - Throws: ``ChildProcess/SpawnError``, or the error of the body.
  package static func serve<Value>(
    devnode: String, port: UInt16, options: [String],
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    // Without separate keys, several gpsd processes on one host would share a memory segment.
    let key = "0x\(String(0x4650_0000 + Int(port), radix: 16))"
    return try await ChildProcess.use(
      path: gpsd, arguments: ["-N"] + options + ["-S", "\(port)", devnode],
      environment: ["GPSD_SHM_KEY": key], body)
  }
}
