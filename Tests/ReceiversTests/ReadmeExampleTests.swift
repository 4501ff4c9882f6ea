// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning
import Receivers
import Testing

/// Checks that the first Swift example in the README compiles.
@Suite struct ReadmeExampleTests {
  private func example() async throws {
    let receiver = SerialSource(devnode: "/dev/ttyACM0", baud: 9600)
    try await receiver.run { event in
      guard case .fix(let fix) = event, let place = fix.coordinate else { return }
      print(place.latitudeDegrees, place.longitudeDegrees, fix.mode)
      if let accuracy = fix.horizontalAccuracy {
        print("within", accuracy.meters, "m,", accuracy.confidencePercent, "% of the time")
      }
    }
  }

  @Test("every line of the README example is also in this file, where it compiles")
  func readmeShowsWhatCompiles() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let source = try String(contentsOf: here, encoding: .utf8)
    let block = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
    let lines = block.components(separatedBy: "```")[0].split(separator: "\n")
    #expect(lines.count >= 10)
    for line in lines { #expect(source.contains(line), "\(line)") }
  }
}
