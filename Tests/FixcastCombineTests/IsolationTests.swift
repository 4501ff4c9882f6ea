// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The compiler rejects the programs that would crash because a closure or a delegate that is
/// isolated to an actor is called elsewhere.
@Suite(.timeLimit(.minutes(10))) struct IsolationTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The directory of the test bundle and of the modules.
  private static let products: URL = {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
    return bundle.map { URL(filePath: $0).deletingLastPathComponent() }
      ?? package.appending(path: ".build/debug")
  }()

  @Test(arguments: ["Delegates", "OnMainActor", "Scheduled", "Sending"])
  func `the compiler rejects exactly the lines that would crash or race`(name: String) async throws {
    let file = Self.package.appending(path: "Tests/FixcastCombineTests/Isolation/\(name).swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let refused = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.hasSuffix("// refused") }.map { $0.offset + 1 }
    let helpers = Self.products.appending(path: "COpenCombineHelpers.build/module.modulemap")
    // make exports SWIFT, the command that has built the modules.
    let compiler = (ProcessInfo.processInfo.environment["SWIFT"] ?? "swift") + "c"
    // Data races are found after the type check, so the compiler must also generate code.
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/env",
      arguments: [
        compiler, "-swift-version", "6", "-parse-as-library", "-emit-sil", "-o", "/dev/null",
        "-suppress-warnings", "-I", Self.products.appending(path: "Modules").path,
        "-Xcc", "-fmodule-map-file=\(helpers.path)", file.path,
      ])
    let errors = lines.compactMap { line -> Int? in
      guard line.hasPrefix(file.path + ":"), line.contains(": error: ") else { return nil }
      return Int(line.dropFirst(file.path.count + 1).prefix { $0 != ":" })
    }
    #expect(!refused.isEmpty && code != 0)
    #expect(Set(errors).sorted() == refused, "\(lines.joined(separator: "\n"))")
  }
}
