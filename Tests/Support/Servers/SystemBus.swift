// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A private D-Bus daemon of a test, configured as a system bus that permits everything.
package struct SystemBus: Sendable {
  /// The address in D-Bus notation.
  package let address: String
  /// The path of the socket.
  package let socket: String

  /// Whether dbus-daemon and Python's D-Bus bindings are installed.
  package static let isInstalled =
    access("/usr/bin/dbus-daemon", X_OK) == 0
    && access("/usr/lib/python3/dist-packages/dbus/__init__.py", R_OK) == 0
    && access("/usr/lib/python3/dist-packages/gi/__init__.py", R_OK) == 0

  /// Starts a bus, runs a body, and always ends the bus.
  ///
  /// - Parameters:
  ///   - folder: A folder for the socket and the configuration.
  ///   - isolation: The actor on which the body runs.
  ///   - body: Uses the bus and its process.
  /// - Returns: The result of the body.
  /// - Throws: ``ChildProcess/SpawnError``, or the error of the body.
  package static func use<Value>(
    in folder: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (SystemBus, ChildProcess) async throws -> Value
  ) async throws -> Value {
    let bus = SystemBus(address: "unix:path=\(folder)/bus", socket: "\(folder)/bus")
    let configuration = """
      <busconfig><type>system</type><listen>\(bus.address)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
      <allow send_type="signal"/><allow send_type="method_return" send_requested_reply="true"/>
      <allow send_type="error" send_requested_reply="true"/><allow receive_type="method_call"/>
      <allow receive_type="method_return"/><allow receive_type="error"/>
      <allow receive_type="signal"/></policy></busconfig>
      """
    let file = "\(folder)/bus.conf"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = write(descriptor, configuration, configuration.utf8.count)
    close(descriptor)
    return try await ChildProcess.use(
      path: "/usr/bin/dbus-daemon",
      arguments: ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address"]
    ) { daemon in
      // The daemon prints its address once it is listening.
      await daemon.lines.wait(for: 1)
      return try await body(bus, daemon)
    }
  }
}
