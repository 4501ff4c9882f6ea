// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Doctor

/// Findings about the udev rules and the command that installs them.
@Suite struct DoctorRulesTests {
  /// A temporary directory, removed on deinitialization.
  private struct Folder: ~Copyable {
    let path = FileManager.default.temporaryDirectory.appending(path: "fixcast rules \(UUID())")
      .path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func add(_ name: String, _ text: String = "# a rule\n") throws {
      let url = URL(filePath: path).appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let names = ["61-fixcast.rules", "79-fixcast-modems.rules"]

  private func findings(_ rules: [DoctorSnapshot.Rule], folder: String? = nil) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.rules = rules
    snapshot.rulesFolder = folder
    return Doctor.examine(snapshot).filter { $0.subject == "rules" }
  }

  @Test func `each rules file is searched separately, and a file in etc takes precedence`() throws {
    let etc = try Folder()
    let lib = try Folder()
    #expect(DoctorSnapshot.rules(in: [etc.path, lib.path]).map(\.state) == [.missing, .missing])
    try lib.add(names[0])
    #expect(
      DoctorSnapshot.rules(in: [etc.path, lib.path]).map(\.state)
        == [.installed(path: "\(lib.path)/\(names[0])"), .missing])
    try etc.add(names[0], "")
    try etc.add(names[1])
    #expect(
      DoctorSnapshot.rules(in: [etc.path, lib.path]).map(\.state)
        == [
          .masked(path: "\(etc.path)/\(names[0])"),
          .installed(path: "\(etc.path)/\(names[1])"),
        ])
  }

  @Test func `a udev folder above the program is used only if both rules files are in it`() throws {
    let root = try Folder()
    let program = "\(root.path)/.build/debug/fixcast"
    try root.add("udev/\(names[0])")
    #expect(DoctorSnapshot.rulesSource(program: program)?.hasPrefix(root.path) != true)
    try root.add("udev/\(names[1])")
    #expect(DoctorSnapshot.rulesSource(program: program) == "\(root.path)/udev")
  }

  @Test func `a missing rules file is reported with its purpose and the command that installs it`()
    throws
  {
    let found = findings(
      [
        .init(names[0], .installed(path: "/etc/udev/rules.d/\(names[0])")),
        .init(names[1], .missing),
      ],
      folder: "/opt/fixcast/udev")
    #expect(found.map(\.severity) == [.note, .good])
    #expect(found.last?.text == "installed as /etc/udev/rules.d/61-fixcast.rules")
    #expect(
      found.first?.text == "not installed: 79-fixcast-modems.rules (marks the position ports of "
        + "modems); they are in /opt/fixcast/udev")
    #expect(
      found.first?.remedy
        == "sudo cp /opt/fixcast/udev/61-fixcast.rules /opt/fixcast/udev/79-fixcast-modems.rules "
        + "/etc/udev/rules.d/ && sudo udevadm control --reload "
        + "&& sudo udevadm trigger --subsystem-match=tty")
  }

  @Test func `two missing rules files are reported in one finding with one command`() {
    let found = findings(names.map { .init($0, .missing) })
    #expect(found.count == 1)
    #expect(names.allSatisfy { found.first?.text.contains($0) == true })
    #expect(found.first?.remedy?.contains("sudo cp udev/61-fixcast.rules udev/79-") == true)
  }

  @Test func `a masked rules file is reported with the command that removes the mask`() {
    let found = findings([.init(names[0], .masked(path: "/etc/udev/rules.d/\(names[0])"))])
    #expect(
      found.first?.text.contains("disabled by /etc/udev/rules.d/61-fixcast.rules") == true)
    let start = "sudo rm /etc/udev/rules.d/61-fixcast.rules && "
    #expect(found.first?.remedy?.hasPrefix(start) == true)
  }

  @Test func `the command that installs rules quotes directory names for the shell`() async throws {
    let root = try Folder()
    for name in names { try root.add("it's/udev/\(name)") }
    let folder = "\(root.path)/it's/udev"
    let remedy = try #require(findings([.init(names[0], .missing)], folder: folder).last?.remedy)
    let copy = try #require(remedy.components(separatedBy: " /etc/udev/rules.d/").first)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", copy.replacing("sudo cp", with: "cat") + " > /dev/null"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
