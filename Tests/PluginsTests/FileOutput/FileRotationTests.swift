// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

@Suite("File rotation")
struct FileRotationTests {
  @Test(arguments: [
    (0, 500, false), (0, 100, false), (60, 40, false), (60, 41, true), (100, 1, true),
    (200, 1, true), (Int.max, Int.max, true),
  ])
  func `a file is rotated when the next line does not fit, unless the file is empty`(
    size: Int, adding: Int, expected: Bool
  ) {
    #expect(
      FileRotation(limitBytes: 100, keepFiles: 2).isDue(size: size, adding: adding) == expected)
  }

  @Test func `a file without a limit is never rotated`() {
    #expect(!FileRotation(limitBytes: nil, keepFiles: 2).isDue(size: .max, adding: .max))
  }

  @Test func `rotation overwrites the oldest file first, so that no step loses a newer file`() {
    #expect(
      FileRotation(limitBytes: 1, keepFiles: 3).steps(for: "a") == [
        .move(from: "a.2", to: "a.3"), .move(from: "a.1", to: "a.2"), .move(from: "a", to: "a.1"),
      ])
    #expect(FileRotation(limitBytes: 1, keepFiles: 0).steps(for: "a") == [.remove("a")])
  }

  @Test func `rotation skips the numbers of files that the sink did not write`() {
    let rotation = FileRotation(limitBytes: 1, keepFiles: 2)
    #expect(
      rotation.steps(for: "a") { ["a.1", "a.3"].contains($0) } == [
        .move(from: "a.2", to: "a.4"), .move(from: "a", to: "a.2"),
      ])
    #expect(rotation.steps(for: "a") { _ in true } == [])
  }
}
