// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// A TLS proxy in front of a server, initially with a certificate for a wrong host name.
struct TLSFront: Sendable {
  /// The URL of the proxy.
  let baseURL: String
  /// A PEM file with both certificates.
  let certificates: String
  private let switchFile: String

  /// Makes the proxy use the certificate for the right host name.
  func useRightCertificate() { try? Data().write(to: URL(filePath: switchFile)) }

  /// Runs a proxy until `body` returns.
  static func use<Value>(
    before port: UInt16, isolation: isolated (any Actor)? = #isolation,
    _ body: (TLSFront) async throws -> Value
  ) async throws -> Value {
    let folder = try ScratchFolder()
    for (file, name) in [("right", "IP:127.0.0.1"), ("wrong", "DNS:elsewhere.example")] {
      let openssl = try ChildProcess(
        path: "/usr/bin/env",
        arguments: [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
          "-nodes", "-days", "2", "-subj", "/CN=\(file)", "-addext", "subjectAltName=\(name)",
          "-keyout", "\(folder.path)/\(file).key", "-out", "\(folder.path)/\(file).pem",
        ])
      #expect(await openssl.wait() == 0)
    }
    try folder.write("both.pem", folder.read("right.pem") + folder.read("wrong.pem"))
    return try await ChildProcess.use(
      path: "/usr/bin/env", arguments: ["python3", "-u", "-c", script, folder.path, "\(port)"]
    ) { process in
      let proxyPort = try #require(await process.lines.wait(for: 1).first.flatMap { UInt16($0) })
      return try await body(
        TLSFront(
          baseURL: "https://127.0.0.1:\(proxyPort)", certificates: folder.path + "/both.pem",
          switchFile: folder.path + "/use-right"))
    }
  }

  /// The proxy in Python.
  ///
  /// Each connection carries one request and one response.
  private static let script = """
    import os, socket, ssl, sys, threading
    folder, port = sys.argv[1], int(sys.argv[2])
    def serve(plain):
      name = "right" if os.path.exists(folder + "/use-right") else "wrong"
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
      try:
        with context.wrap_socket(plain, server_side=True) as client:
          head = b""
          while b"\\r\\n\\r\\n" not in head:
            more = client.recv(65536)
            if not more: return
            head += more
          with socket.create_connection(("127.0.0.1", port)) as server:
            server.sendall(head)
            while more := server.recv(65536): client.sendall(more)
      except OSError:
        pass
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1])
    while True:
      threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}
