// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// A board in a temporary directory, on which a test runs `fixcast`.
struct AuthFixture: ~Copyable {
  let root: String
  /// The selector of the user who runs the tests.
  let me = "uid=\(geteuid())"
  private let receiver = try? BoardReceiver()

  init(policy: String = "") throws {
    root = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())").path
    try write("etc/fixcast/policy.d/10-board.conf", policy)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// The argument of `--source` for the board's receiver.
  var source: String { receiver?.source ?? "serial:/dev/no-pseudo-terminal" }

  var policyFile: String { "\(root)/etc/fixcast/policy.d/10-board.conf" }
  var storeFile: String { "\(root)/var/lib/fixcast/decisions.json" }
  var environment: [String: String] { ["FIXCAST_ROOT": root] }

  func write(_ name: String, _ text: String) throws {
    let url = URL(filePath: root).appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  /// Runs `fixcast auth` and waits until it exits.
  func auth(_ words: String...) async throws -> (lines: [String], code: Int32) {
    try await run(["auth"] + words)
  }

  /// Runs `fixcast` and waits until it exits.
  func run(_ words: [String]) async throws -> (lines: [String], code: Int32) {
    try await ChildProcess.run(path: Program.path, arguments: words, environment: environment)
  }

  /// Runs a shell script through the command `prefix`, such as `setpriv`.
  ///
  /// In the script, `$F` is the program, `$R` is the board's root directory, and `$S` is the source
  /// of the board's receiver.
  func shell(_ prefix: [String], _ script: String) async throws -> (lines: [String], code: Int32) {
    let words = prefix + ["/bin/sh", "-c", script]
    let variables = environment.merging(["F": Program.path, "R": root, "S": source]) { _, new in new
    }
    return try await ChildProcess.run(path: "/usr/bin/env", arguments: words, environment: variables)
  }

  /// Whether a program can be started through this command, such as `setpriv`.
  static func canRun(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words + ["true"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if it may not run a program as another user.
  static var needsOtherUser: Self {
    .enabled(
      if: geteuid() == 0 && AuthFixture.canRun("setpriv", "--reuid=65534", "--clear-groups"),
      "needs root to run as another user")
  }
}
