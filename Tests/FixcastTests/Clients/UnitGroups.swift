// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Control groups of systemd units, in the unified hierarchy.
///
/// Each command mounts the hierarchy in a mount namespace of its own, because the machine may have
/// mounted only the hierarchies of control groups version 1. The groups are in a slice of their
/// own, so that they do not collide with those of the machine or of another test run.
enum UnitGroups {
  private static let root = "/sys/fs/cgroup"
  private static let mount = "mount -t cgroup2 none \(root)"

  /// Whether the unified hierarchy can be mounted.
  static let areMountable = geteuid() == 0 && AuthFixture.canRun("unshare", "-m", "sh", "-c", mount)
  /// Whether a test that needs the groups runs: in CI also if it fails, so that CI does not skip it
  /// without notice.
  static let areRequired =
    areMountable || ProcessInfo.processInfo.environment["CI"] == "true"

  private static let slice = "fixcast-test-\(getpid()).slice"

  /// Creates a group for each unit, runs a body, and removes the groups, whose processes must have
  /// exited by then.
  static func use(_ units: [String], _ body: () async throws -> Void) async throws {
    let folders = units.map(folder(of:)).joined(separator: " ")
    try await run("mkdir -p \(folders)")
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    try await run("rmdir \(folders) \(root)/\(slice)")
    try result.get()
  }

  private static func run(_ script: String) async throws {
    let words = command(after: script) + ["true"]
    let result = try await ChildProcess.run(path: words[0], arguments: Array(words.dropFirst()))
    #expect(result.code == 0, "\(result.lines)")
  }

  /// The beginning of a command line that runs a program with the hierarchy mounted.
  static var wrapper: [String] { command(after: "true") }

  /// Returns the beginning of a command line that runs a program in a unit.
  static func wrapper(in unit: String) -> [String] {
    command(after: "echo $$ > \(folder(of: unit))/cgroup.procs")
  }

  private static func folder(of unit: String) -> String { "\(root)/\(slice)/\(unit)" }

  /// Returns the beginning of a command line that mounts the hierarchy, runs a script, and becomes
  /// the program that follows.
  private static func command(after script: String) -> [String] {
    ["/usr/bin/unshare", "-m", "/bin/sh", "-c", "\(mount) && \(script) && exec \"$@\"", "sh"]
  }
}
