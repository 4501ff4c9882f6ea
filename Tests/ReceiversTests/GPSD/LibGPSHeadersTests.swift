// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Compilation of CGPS against versions of libgps that are not installed.
///
/// The folder `Headers` contains the declarations that CGPS uses, with the differences documented
/// in gpsd's history: the location of the status, added and removed names, and types of arguments
/// and descriptors.
@Suite(.timeLimit(.minutes(5))) struct LibGPSHeadersTests {
  static let compiler =
    ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first {
      access($0, X_OK) == 0
    } ?? compilerOnPath

  /// The clang of the Swift toolchain, if it is in PATH.
  private static var compilerOnPath: String? {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").map { "\($0)/clang" }.first {
      access($0, X_OK) == 0
    }
  }

  private static let folder = String(#filePath.dropLast("GPSD/LibGPSHeadersTests.swift".count))
  private static let root = String(folder.dropLast("Tests/ReceiversTests/".count))

  @Test(.enabled(if: compiler != nil, "needs a C compiler on PATH"), arguments: [9, 10, 14, 16])
  func `CGPS compiles without warnings against the APIs 9 to 16 of libgps`(api: Int) async throws {
    let result = try await compile(headers: "api-\(api)")
    #expect(result.status == 0, "\(result.lines.joined(separator: "\n"))")
  }

  @Test(.enabled(if: compiler != nil, "needs a C compiler on PATH"))
  func `CGPS does not compile against a libgps header with an unhandled difference`() async throws {
    let result = try await compile(headers: "api-mislabelled")
    #expect(result.status != 0)
    #expect(result.lines.contains { $0.contains("status") })
  }

  private func compile(headers: String) async throws -> (status: Int32, lines: [String]) {
    let compiler = try #require(Self.compiler)
    var arguments = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    arguments += ["-I\(Self.folder)Headers/\(headers)", "-I\(Self.root)CGPS/include"]
    arguments.append("\(Self.root)CGPS/gpsd.c")
    let process = try ChildProcess(path: compiler, arguments: arguments)
    let status = await process.wait()
    return (status, process.lines.events)
  }
}
