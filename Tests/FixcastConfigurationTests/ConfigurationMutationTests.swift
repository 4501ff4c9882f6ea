// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Testing

/// Inserts random mistakes into a valid configuration.
@Suite("Configurations with random mistakes")
struct ConfigurationMutationTests {
  private static let good = """
    [daemon]
    log_level = "debug"
    [[source]]
    name = "roof"
    type = "serial"
    device = "/dev/ttyACM0"
    baud = 9600
    [[source]]
    type = "gpsd"
    port = 2948
    [weather]
    providers = ["openmeteo"]
    grid_decimals = 2
    [weather.openmeteo]
    key = "zebra5"
    [[gate]]
    type = "accuracy"
    limit_metres = 50
    [[stage]]
    type = "weather"
    timeout_seconds = 2.5
    [[sink]]
    type = "gpx"
    file = "/a.gpx"
    token = "zebra5"
    [[sink]]
    type = "log"
    name = "second"
    """
  private static let values = [
    "1", "-1", "9223372036854775807", "nan", "inf", "1e300", "\"\"", "\"x\"", "[]", "[[]]", "{}",
    "true", "{ a = 1 }", "[\"x\", 1]",
  ]

  @Test(arguments: [UInt64(1), 2])
  func `a configuration with random mistakes is read or rejected, and no error contains a secret`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var counts = (good: 0, bad: 0)
    for _ in 0..<1_500 {
      var lines = Self.good.split(separator: "\n").map(String.init)
      for _ in 0..<Int.random(in: 1...3, using: &random) { Self.addMistake(&lines, &random) }
      switch TestCatalog.read(lines.joined(separator: "\n")) {
      case .success: counts.good += 1
      case .failure(let errors):
        counts.bad += 1
        #expect(!errors.all.isEmpty)
        #expect(!"\(errors)".contains("zebra5"), "\(errors)")
        #expect(errors.all.allSatisfy { $0.origin?.line != nil }, "\(errors)")
      }
    }
    #expect(counts.good > 50 && counts.bad > 500)
  }

  private static func addMistake(_ lines: inout [String], _ random: inout SeededGenerator) {
    let place = Int.random(in: 0..<lines.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where lines.count > 1: lines.remove(at: place)
    case 1: lines.insert(lines[Int.random(in: 0..<lines.count, using: &random)], at: place)
    case 2:
      guard let equals = lines[place].firstIndex(of: "=") else { return }
      lines[place] = lines[place][...equals] + (values.randomElement(using: &random) ?? "")
    default:
      var letters = Array(lines[place])
      guard !letters.isEmpty else { return }
      letters.swapAt(
        Int.random(in: 0..<letters.count, using: &random),
        Int.random(in: 0..<letters.count, using: &random))
      lines[place] = String(letters)
    }
  }
}
