// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import FoundationEssentials
import Glibc
import LocationServices
import Positioning
import SystemSupport

@testable import DaemonServer

/// A server with its own socket and policy in a temporary folder.
final class TestDaemon {
  let folder: ScratchFolder
  let server: SocketServer
  let path: String
  let places: PolicyPaths
  let reports = EventRecorder<String>()
  private let running: Task<String?, Never>

  static let latitude = "54.093468333"

  /// The limits of the server, but with a time limit for requests that a busy machine does not reach.
  static var patientLimits: ServerLimits {
    var limits = ServerLimits()
    limits.requestSeconds = 600
    return limits
  }

  init(
    policy: String = "", limits: ServerLimits = TestDaemon.patientLimits,
    evidence: ProcessEvidence = ProcessEvidence(),
    now: @escaping @Sendable () -> MonotonicTime = { .now() }
  ) async throws {
    let folder = try ScratchFolder()
    // Other users must be able to reach the socket.
    chmod(folder.path, 0o755)
    try folder.write("root/etc/fixcast/policy.d/test.conf", policy)
    path = folder.path + "/s"
    places = PolicyPaths(root: folder.path + "/root")
    var configuration = SocketServer.Configuration(address: DaemonAddress(socketPath: path), policyPaths: places)
    configuration.limits = limits
    configuration.evidence = evidence
    let reports = reports
    let server = SocketServer(
      configuration, now: now,
      status: { ServerStatus(forEverybody: Array(#"{"in":1}"#.utf8)) },
      places: { _ in Array(#"{"class":"PLACES","places":[]}"#.utf8) },
      report: { reports.record($0) }, reportListening: { reports.record($0) })
    self.server = server
    self.folder = folder
    let ready = EventRecorder<Bool>()
    running = Task {
      do throws(ServerFailure) {
        try await server.run { ready.record(true) }
        return nil
      } catch {
        ready.record(false)
        return "\(error)"
      }
    }
    _ = await ready.wait(for: 1)
  }

  /// Publishes a position and a satellite.
  func publishFix(latitude: Double = 54.093468333) {
    Self.publishFix(latitude: latitude, on: server)
  }

  static func publishFix(latitude: Double = 54.093468333, on server: SocketServer) {
    let fix = Fix.at(latitude, 10.824651667) { ($0.source, $0.receivedAt) = ("/dev/ttyACM0", .now()) }
    server.publish(.fix(fix))
    server.publish(.sky(SkyView(satellites: [Samples.satellite(13)])))
  }

  /// Makes a decision as an operator.
  func decide(_ selector: ClientSelector, _ level: Decision.Level, reduced: Bool = false) throws {
    var decision = Decision(selector: selector, level: level, created: .now(), grantedBy: 0)
    decision.isReduced = reduced
    _ = try places.store.update { [decision] in $0.record(decision) }
  }

  /// Waits until the audit log contains a text.
  func waitForLog(_ text: String) async {
    let logs = EventRecorder<Bool>()
    let state = places.stateFolder
    let read: @Sendable () -> Void = {
      let log = try? String(contentsOfFile: state + "/uses.jsonl", encoding: .utf8)
      logs.record(log?.contains(text) ?? false)
    }
    let watch = FolderWatch([.init(path: state, suffix: "uses.jsonl")]) { _ in read() }
    read()
    _ = await logs.wait { $0.contains(true) }
    withExtendedLifetime(watch) {}
  }

  /// Stops the server, and returns its error; `nil` if no error occurred.
  func end() async -> String? {
    running.cancel()
    return await running.value
  }

  deinit { running.cancel() }
}
