// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// A TLS server with a self-signed certificate, which reports what clients send after the handshake.
struct CertificateServer: Sendable {
  /// The URL of the server.
  let baseURL: String
  /// A PEM file with the certificate.
  let certificate: String
  private let process: ChildProcess

  /// Returns the number of requests of each of the first connections, after they have ended.
  func requests(ofConnections count: Int) async -> [String] {
    Array(await process.lines.wait(for: 1 + count).dropFirst().prefix(count))
  }

  /// Runs a server until `body` returns; dates are such as `20200101000000Z`.
  static func use<Value>(
    names: String = "IP:127.0.0.1", from start: String = "20260101000000Z",
    to end: String = "20990101000000Z", isolation: isolated (any Actor)? = #isolation,
    _ body: (CertificateServer) async throws -> Value
  ) async throws -> Value {
    let folder = try ScratchFolder()
    try folder.write("ca.cnf", configuration(folder.path))
    try folder.write("index.txt", "")
    try folder.write("serial", "01\n")
    let (key, file) = (folder.path + "/key.pem", folder.path + "/certificate.pem")
    for arguments in [
      [
        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
        "/CN=Test Portal", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out",
        folder.path + "/request.pem",
      ],
      [
        "ca", "-batch", "-notext", "-selfsign", "-config", folder.path + "/ca.cnf", "-keyfile", key,
        "-in", folder.path + "/request.pem", "-out", file, "-startdate", start, "-enddate", end,
      ],
    ] {
      let openssl = try ChildProcess(path: "/usr/bin/env", arguments: ["openssl"] + arguments)
      #expect(await openssl.wait() == 0)
    }
    return try await ChildProcess.use(
      path: "/usr/bin/env", arguments: ["python3", "-u", "-c", script, file, key]
    ) { process in
      let port = try #require(await process.lines.wait(for: 1).first.flatMap { UInt16($0) })
      return try await body(
        CertificateServer(
          baseURL: "https://127.0.0.1:\(port)", certificate: file, process: process))
    }
  }

  private static func configuration(_ folder: String) -> String {
    """
    [ca]
    default_ca = test
    [test]
    database = \(folder)/index.txt
    serial = \(folder)/serial
    new_certs_dir = \(folder)
    default_md = sha256
    policy = names
    copy_extensions = copy
    [names]
    commonName = supplied
    """
  }

  /// The server in Python, which prints its port, then `request` or `none` for each connection.
  private static let script = """
    import socket, ssl, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1])
    body = b'{"current":{"temperature_2m":7.5}}'
    while True:
      plain = listener.accept()[0]
      sent = b""
      try:
        with context.wrap_socket(plain, server_side=True) as client:
          sent = client.recv(65536)
          if sent:
            client.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
      except OSError:
        pass
      print("request" if sent else "none")
    """
}
