// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Foundation
import Glibc
import Testing

/// Sends the requests in the articles to a daemon with a simulated receiver.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DocumentedRequestTests {
  /// The HTTP request of a curl command line.
  private struct Request {
    var method = "GET"
    var target = ""
    var head: [String] = ["Host: fixcast"]
    var body = ""

    init(_ words: [String]) throws {
      var rest = words.dropFirst()
      while let word = rest.popFirst() {
        guard word.hasPrefix("-") else {
          target = String(word.trimmingPrefix("http://fixcast"))
          continue
        }
        if word == "-N" { continue }
        let next = rest.popFirst()
        let value = try #require(next, "the value of \(word) is missing")
        switch word {
        case "--unix-socket": #expect(value == "/run/fixcast/fixcast.sock")
        case "-H": head.append(value)
        case "-d": (method, body) = ("POST", value)
        default: Issue.record("the test does not support the option \(word) of curl")
        }
      }
    }

    var bytes: [UInt8] {
      let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
      return Array((["\(method) \(target) HTTP/1.1"] + head + length + ["", ""]).joined(separator: "\r\n").utf8)
        + Array(body.utf8)
    }
  }

  private static func withBoard(_ body: (borrowing DaemonFixture) async throws -> Void) async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    // The rule applies only to requests with a purpose, such as those in the articles.
    try board.folder.write("root/etc/fixcast/policy.d/10-test.conf", "allow everyone\n")
    try await board.use { _ in try await body(board) }
  }

  @Test func `the daemon answers each documented curl request with status 200`() async throws {
    let commands = DocumentedCommand.all.filter { $0.program == "curl" }
    #expect(commands.count >= 4)
    try await Self.withBoard { board in
      for command in commands {
        let request = try Request(command.words)
        let response = await Self.response(to: request.bytes, at: board.path + "/s")
        #expect(response.hasPrefix("HTTP/1.1 200 "), "\(command.testDescription): \(response)")
        let content = request.target == "/metrics" ? "# HELP " : "\"class\":\""
        #expect(response.contains(content), "\(command.testDescription): \(response)")
      }
    }
  }

  private static func pythonPrograms() throws -> [String] {
    let blocks = try Document(path: "Sources/fixcast/fixcast.docc/HTTP-API.md")
      .blocks(of: "python")
    try #require(blocks.count == 2)
    return blocks.map(\.text)
  }

  @Test func `the second Python program in the HTTP API article prints events`() async throws {
    let text = try Self.pythonPrograms()[1]
    #expect(text.split(separator: "\n").count <= 15)
    try await Self.withBoard { board in
      let program = text.replacing("/run/fixcast/fixcast.sock", with: board.path + "/s")
      try await ChildProcess.use(path: "/usr/bin/env", arguments: ["python3", "-c", program]) {
        let lines = await $0.lines.wait { lines in
          ["AUTH", "TPV", "SKY"].allSatisfy { name in
            lines.contains { $0.hasPrefix(#"{"class":"\#(name)","#) }
          }
        }
        #expect(lines.first?.hasPrefix(#"{"class":"AUTH","#) == true, "\(lines)")
      }
    }
  }

  @Test func `the first Python program in the HTTP API article prints a position`() async throws {
    let text = try Self.pythonPrograms()[0]
    try await Self.withBoard { board in
      let program = text.replacing("/run/fixcast/fixcast.sock", with: board.path + "/s")
      let (lines, code) = try await ChildProcess.run(path: "/usr/bin/env", arguments: ["python3", "-c", program])
      #expect(code == 0 && lines.count == 1, "\(lines)")
      let numbers = lines.first?.split(separator: " ").compactMap { Double($0) }
      #expect(numbers?.count == 2, "\(lines)")
    }
  }

  /// Returns the complete response, or a stream up to its first event.
  private static func response(to request: [UInt8], at path: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "request").async {
        continuation.resume(returning: exchange(request, at: path))
      }
    }
  }

  private static func exchange(_ request: [UInt8], at path: String) -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard connected == 0, write(descriptor, request, request.count) == request.count else {
      return "not connected: \(errno)"
    }
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: response, as: UTF8.self).contains("\ndata: ") {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      response += buffer.prefix(count)
    }
    return String(decoding: response, as: UTF8.self)
  }
}
