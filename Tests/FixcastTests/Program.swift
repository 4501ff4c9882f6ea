// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The program under test, built together with the tests.
enum Program {
  static let path: String = {
    // The program is in the directory of the test bundle.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
    let built = URL(filePath: bundle).deletingLastPathComponent().appending(path: "fixcast").path
    return FileManager.default.fileExists(atPath: built)
      ? built
      : URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/debug/fixcast").path
  }()

  /// Runs the program and returns the lines of both outputs and the exit code.
  static func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> (lines: [String], code: Int32) {
    try await ChildProcess.run(path: path, arguments: arguments, environment: environment)
  }
}

extension Program {
  /// Returns a command that pipes both outputs of the program into a reader.
  ///
  /// The exit code of the command is that of the program, or 124 after fifty seconds.
  static func piped(_ arguments: [String], into reader: String) -> [String] {
    let script = "/usr/bin/timeout 50 \"$0\" \"$@\" |& \(reader); exit ${PIPESTATUS[0]}"
    return ["/bin/bash", "-c", script, path] + arguments
  }
}

/// A temporary file, removed on deinitialization.
struct ScratchFile: ~Copyable {
  let path: String

  init(_ contents: some Sequence<UInt8>) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
    try Data(contents).write(to: url)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
