// SPDX-License-Identifier: Apache-2.0

import Testing

/// A mosquitto with TLS on a loopback port.
package enum SecureBroker {
  /// Runs the body with the port of a broker that knows the user `fleet` with the password `zebra`.
  ///
  /// The folder gets the broker's certificate for `localhost`, `server.pem`, and `other.pem`, which the
  /// broker does not use.
  ///
  /// - Throws: The error of `body`, or of the files of the broker.
  package static func use<Value>(
    _ folder: borrowing ScratchFolder, _ body: (_ port: UInt16) async throws -> Value
  ) async throws -> Value {
    let reserved = try ReservedPort()
    defer { reserved.release() }
    let path = folder.path
    let script = """
      cd \(path) && exec 2>openssl.log
      for name in server other; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem \\
          -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost || exit
      done
      mosquitto_passwd -b -c users fleet zebra
      """
    let made = try await ChildProcess.run(path: "/bin/sh", arguments: ["-c", script])
    try #require(made.code == 0, "\(made.lines)")
    try folder.write(
      "mosquitto.conf",
      """
      user root
      allow_anonymous false
      password_file \(path)/users
      listener \(reserved.number) 127.0.0.1
      certfile \(path)/server.pem
      keyfile \(path)/server.key

      """)
    return try await ChildProcess.use(
      path: "/usr/sbin/mosquitto", arguments: ["-c", path + "/mosquitto.conf"]
    ) { broker in
      await broker.lines.wait { lines in lines.contains { $0.hasSuffix(" running") } }
      return try await body(reserved.number)
    }
  }
}
