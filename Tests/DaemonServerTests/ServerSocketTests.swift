// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

/// Tests which bytes each user receives on a real socket.
@Suite("Socket of the daemon", .serialized, .timeLimit(.minutes(5)), .needsRoot)
struct ServerSocketTests {
  /// Debian's users `daemon` and `nobody`, and a user without a name.
  private static let allowed: UInt32 = 1
  private static let other: UInt32 = 65_534
  private static let third: UInt32 = 4242

  @Test func `each user gets only the data that it is authorized for, even with a forged program name`() async throws {
    let daemon = try await TestDaemon(
      policy: """
        allow uid=1
        allow uid=65534 accuracy=reduced
        deny uid=4242
        """)
    let full = try RawClient(daemon.path, user: Self.allowed)
    let reduced = try RawClient(daemon.path, user: Self.other)
    let denied = try RawClient(daemon.path, user: Self.third)
    let pending = try RawClient(daemon.path, user: 4243)
    let forged = try RawClient(daemon.path, user: 4244)
    let deniedOnce = try RawClient(daemon.path, user: Self.third)
    for client in [full, reduced] { client.get("/v1/events?purpose=test") }
    denied.get("/v1/events?purpose=test")
    pending.get("/v1/events?purpose=show%20the%20way")
    forged.get("/v1/events?purpose=test&application=org.example.map")
    for client in [full, reduced, denied, pending, forged] { await client.wait(for: "AUTH") }
    await full.wait(for: "authorized")
    await reduced.wait(for: "authorized")
    _ = await daemon.reports.wait { $0.contains { $0.contains("uid=4243") } }
    for _ in 0..<50 { daemon.publishFix() }
    deniedOnce.get("/v1/location")
    #expect(await deniedOnce.waitForEnd().hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
    await full.wait(for: TestDaemon.latitude, count: 50)
    await reduced.wait(for: #""lat":54.075000000"#)
    #expect(full.count("PRN") > 0)
    for client in [reduced, denied, pending, forged, deniedOnce] {
      #expect(client.count(TestDaemon.latitude) == 0)
      #expect(client.count("54.09") == 0)
      #expect(client.count("10.82") == 0)
      #expect(client.count("PRN") == 0)
    }
    #expect(reduced.count("event: TPV") == 1)
    for client in [denied, pending, forged] { #expect(client.count("event: TPV") == 0) }
    // An operator grants access.
    try daemon.decide(ClientSelector(userID: 4243), .always)
    await pending.wait(for: "authorizedAlways")
    daemon.publishFix()
    await pending.wait(for: TestDaemon.latitude)
    #expect(await daemon.end() == nil)
  }

  @Test(arguments: [0, 1] as [UInt32])
  func `a process that cannot be identified does not get its user's authorization`(user: UInt32) async throws {
    let processes = try ScratchFolder()
    // Simulate a process that is exiting and has left its control group.
    let fields = Array(repeating: "0", count: 49).joined(separator: " ")
    try processes.write("\(getpid())/stat", "\(getpid()) (test) Z \(fields)\n")
    let daemon = try await TestDaemon(policy: "allow uid=1\n", evidence: ProcessEvidence(folder: processes.path))
    daemon.publishFix()
    let client = try RawClient(daemon.path, user: user)
    client.get("/v1/location?timeout=1&purpose=test")
    let text = await client.waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 403 "), "\(text)")
    #expect(text.contains("unknownClient") && text.contains("try again"), "\(text)")
    #expect(!text.contains("54.09"))
    #expect(await daemon.end() == nil)
  }

  @Test func `the audit log records the enforced mode`() async throws {
    let daemon = try await TestDaemon(policy: "allow uid=1\n")
    daemon.publishFix()
    let client = try RawClient(daemon.path, user: Self.allowed)
    client.get("/v1/location?purpose=test")
    #expect(await client.waitForEnd().contains(TestDaemon.latitude))
    #expect(await daemon.end() == nil)
    let log = try daemon.folder.read("root/var/lib/fixcast/uses.jsonl")
    let lines = log.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains(#""mode":"enforced""#) }, "\(log)")
  }

  @Test func `no location is sent on a stream after a revocation`() async throws {
    let daemon = try await TestDaemon()
    try daemon.decide(ClientSelector(userID: Self.allowed), .always)
    let reading = try RawClient(daemon.path, user: Self.allowed)
    let slow = try RawClient(daemon.path, user: Self.allowed, isReading: false)
    for client in [reading, slow] { client.get("/v1/events") }
    daemon.publishFix()
    await reading.wait(for: TestDaemon.latitude)
    // The slow client must be streaming before the next fixes: a client that connects later gets
    // only the newest fix.
    await slow.waitForBytes()
    // Publish more data than the kernel buffers for a client that does not read.
    for _ in 0..<2000 { daemon.publishFix() }
    // When the reading client has received this fix, none of its data is in transit.
    daemon.publishFix(latitude: 33.25)
    await reading.wait(for: "33.250000000")
    daemon.server.publish(.object(ServerObject(name: "PATH", json: Array("{}".utf8), for: .authorized)))
    await reading.wait(for: "event: PATH")
    try daemon.decide(ClientSelector(userID: Self.allowed), .denied)
    await reading.wait(for: #""status":"denied""#)
    for _ in 0..<200 { daemon.publishFix(latitude: 12.345678901) }
    slow.read()
    // The slow client's connection was aborted during a write.
    let text = await slow.waitForEnd()
    #expect(!text.contains("12.3456789"))
    let parts = reading.text.split(separator: #""status":"denied""#)
    #expect(parts.count == 2)
    #expect(parts.last?.contains("TPV") == false)
    #expect(reading.count("12.3456789") == 0)
    #expect(await daemon.end() == nil)
  }

  @Test func `a claimed socket cannot be claimed again until the server has stopped`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/s"
    let server = {
      SocketServer(
        SocketServer.Configuration(
          address: DaemonAddress(socketPath: path),
          policyPaths: PolicyPaths(root: folder.path + "/root")),
        now: { .now() }, report: { _ in })
    }
    let (first, second) = (server(), server())
    try first.claim()
    #expect(throws: ServerFailure.alreadyServed(path: path)) { try second.claim() }
    await #expect(throws: ServerFailure.alreadyServed(path: path)) { try await second.run() }
    #expect(access(path, F_OK) == 0, "the second server must not remove the socket")
    var claimed = stat()
    #expect(stat(path, &claimed) == 0 && claimed.st_mode & 0o777 == 0o600)
    chmod(folder.path, 0o755)
    // Other users cannot connect. A connection of root waits, and is served later.
    #expect { try RawClient(path, user: Self.allowed) } throws: {
      ($0 as? RawClient.Failure)?.errorNumber == EACCES
    }
    let early = try RawClient(path)
    early.get("/v1/status")
    #expect(early.pieces.events.isEmpty)
    let ready = EventRecorder<mode_t>()
    let serving = Task {
      try await first.run {
        var status = stat()
        stat(path, &status)
        ready.record(status.st_mode & 0o777)
      }
    }
    #expect(await ready.wait(for: 1) == [0o666])
    #expect(await early.waitForEnd().hasPrefix("HTTP/1.1 200 "))
    serving.cancel()
    try await serving.value
    #expect(access(path, F_OK) != 0)
    // A server that is cancelled before it runs also releases the socket.
    try second.claim()
    let cancelled = Task { try await second.run() }
    cancelled.cancel()
    try await cancelled.value
    #expect(access(path, F_OK) != 0)
    try first.claim()
    let last = Task { try await first.run() }
    last.cancel()
    try await last.value
  }

  @Test func `the server replaces a stale socket, but not a socket in use`() async throws {
    let daemon = try await TestDaemon()
    var status = stat()
    try #require(stat(daemon.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o666)
    #expect(throws: ServerFailure.alreadyServed(path: daemon.path)) {
      try SocketFile(path: daemon.path).prepare()
    }
    let path = daemon.path
    let folder = try ScratchFolder()
    let stale = folder.path + "/deep/s"
    try SocketFile(path: stale).prepare()
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: stale.utf8) }
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(descriptor)
    try #require(bound == 0)
    try SocketFile(path: stale).prepare()
    #expect(access(stale, F_OK) != 0)
    try folder.write("file", "")
    #expect(throws: ServerFailure.notASocket(path: folder.path + "/file")) {
      try SocketFile(path: folder.path + "/file").prepare()
    }
    #expect(throws: ServerFailure.self) {
      try SocketFile(path: "/tmp/" + String(repeating: "a", count: 120)).prepare()
    }
    #expect(await daemon.end() == nil)
    #expect(access(path, F_OK) != 0)
  }

  @Test(arguments: [
    ("/none/deep", "No such file or directory"), ("/file", "Not a directory"),
    ("/file/deep", "Not a directory"),
  ])
  func `if the socket's directory is unusable, the error describes the correction`(name: String, reason: String) throws
  {
    let folder = try ScratchFolder()
    try folder.write("file", "")
    let failure = #expect(throws: ServerFailure.self) {
      try SocketFile(path: folder.path + name + "/s").prepare()
    }
    let place = folder.path + name
    #expect(failure?.description.hasPrefix("\(place)/s: cannot create the socket in \(place): \(reason); ") == true)
    #expect(failure?.description.contains("set another socket below [daemon]") == true)
  }

  @Test(arguments: [
    ("GET /v2 HTTP/1.1\r\nHost: fixcast\r\n\r\n", "404"), ("nonsense\r\n\r\n", "400"),
    (
      "POST /v1/status HTTP/1.1\r\nHost: fixcast\r\n"
        + "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n", "405"
    ),
    ("GET /v1/location?timeout=x HTTP/1.1\r\nHost: fixcast\r\n\r\n", "400"),
    (
      "POST /v1/authorization HTTP/1.1\r\nHost: fixcast\r\n"
        + "Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n"
        + String(repeating: "x", count: 90_000), "413"
    ),
    ("GET /v1/status HTTP/1.1\r\nHost: fixcast\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n", "431"),
    ("GET /v1/status HTTP/1.1\r\nHost: fixcast\r\n\r\nGET /v1/events HTTP/1.1\r\n\r\n", "200"),
  ])
  func `the server responds to an invalid request with an error, and closes the connection`(
    request: String, status: String
  ) async throws {
    let daemon = try await TestDaemon()
    let client = try RawClient(daemon.path)
    client.send(request)
    let text = await client.waitForEnd()
    #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text.prefix(80))")
    #expect(client.count("HTTP/1.1") == 1)
    #expect(await daemon.end() == nil)
  }
}
