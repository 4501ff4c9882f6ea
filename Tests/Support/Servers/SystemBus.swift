// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A D-Bus daemon of a test's own, with the rights of a system bus that trusts everybody.
package struct SystemBus: Sendable {
  /// Its address in D-Bus's notation.
  package let address: String
  /// The file that is its socket.
  package let socket: String

  /// Whether there is one to be started, and Python's bindings to talk over it.
  package static let isInstalled =
    access("/usr/bin/dbus-daemon", X_OK) == 0
    && access("/usr/lib/python3/dist-packages/dbus/__init__.py", R_OK) == 0
    && access("/usr/lib/python3/dist-packages/gi/__init__.py", R_OK) == 0

  /// Starts a bus, uses it, and ends it whatever happens.
  ///
  /// - Parameters:
  ///   - folder: A folder that lasts as long, for its socket and its configuration.
  ///   - isolation: Where the body runs.
  ///   - body: What to do with it, and with the program that it is.
  /// - Returns: What the body returns.
  /// - Throws: ``ChildProcess/SpawnError``, and what the body throws.
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
      // It prints its address when it listens.
      await daemon.lines.wait(for: 1)
      return try await body(bus, daemon)
    }
  }
}
