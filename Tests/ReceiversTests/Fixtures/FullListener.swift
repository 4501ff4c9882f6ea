// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemSupport

@testable import Receivers

/// A loopback port that listens with a full queue, so that connection attempts wait.
final class FullListener {
  let port: UInt16
  private let listener: Int32
  private var clients: [Int32] = []

  init() throws(SystemCallFailure) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let listener = try SystemCall.run("socket") { socket(AF_INET, kind, 0) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    func with(_ call: StaticString, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32)
      throws(SystemCallFailure)
    {
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
      }
      if result != 0 { throw SystemCallFailure(call: String(describing: call), number: errno) }
    }
    try with("bind") { bind(listener, $0, length) }
    try SystemCall.run("listen") { listen(listener, 0) }
    try with("getsockname") { getsockname(listener, $0, &length) }
    port = address.sin_port.bigEndian
    self.listener = listener
    // A queue of length 0 accepts one connection; further connection attempts get no answer.
    for _ in 0..<4 {
      let client = try SystemCall.run("socket") { socket(AF_INET, kind, 0) }
      clients.append(client)
      try? with("connect") { connect(client, $0, length) }
    }
  }

  /// The number of waiting connection attempts.
  var waitingCount: Int {
    // The fields are the local address, the remote address and the state; 02 is SYN_SENT.
    let remote = ":" + String(Int(port) + 0x10000, radix: 16, uppercase: true).dropFirst()
    return Self.lines("/proc/self/net/tcp").count { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[2].hasSuffix(remote) && fields[3] == "02"
    }
  }

  /// Closes the port.
  ///
  /// Waiting clients are refused when they retry, within a few seconds.
  func close() {
    for descriptor in [listener] + clients { SystemCall.close(descriptor) }
    clients = []
  }

  private static func lines(_ path: String) -> [Substring] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
