// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FoundationEssentials
import Testing

@testable import FleetProtocol

@Suite("Python decoder in the article about the wire format")
struct FleetPythonDecoderTests {
  private struct Row: Decodable, Equatable {
    var board: String
    var epoch: Int64
    var s: Int64
    var t: Int64?
    var m: Int64?
    var lat: Int64
    var lon: Int64
    var alt: Int64?
    var spd: Int64?
    var trk: Int64?
    var eph: Int64?
    var mode: Int64?
    var sats: Int64?
  }

  /// Returns the code blocks of a language in the article.
  private static func blocks(_ language: String) throws -> [String] {
    let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = "/\(path)/Sources/fixcast/fixcast.docc/FleetWireFormat.md"
    let article = try String(contentsOfFile: file, encoding: .utf8)
    return article.split(separator: "```\(language)\n").dropFirst().map { block in
      block.split(separator: "```", maxSplits: 1).first.map(String.init) ?? ""
    }
  }

  private static func rows(_ batch: FleetBatch) -> [Row] {
    batch.entries.map { entry in
      let fix = entry.fix
      return Row(
        board: batch.board.text, epoch: batch.epoch.number, s: entry.sequence,
        t: fix.timeMilliseconds, m: fix.bootMilliseconds, lat: fix.latitudeE7,
        lon: fix.longitudeE7, alt: fix.altitudeDecimeters, spd: fix.speedCentimetersPerSecond,
        trk: fix.courseTenthsOfDegree, eph: fix.errorDecimeters, mode: fix.mode,
        sats: fix.satellites)
    }
  }

  @Test func `the decoder has at most 30 lines, and prints the same fixes as this package decodes`() async throws {
    let program = try #require(try Self.blocks("python").first)
    #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
    var batches: [FleetBatch] = []
    for seed in 1...5 {
      var batch = try FleetBatchTests.batch(FleetBatchTests.drive(20, seed: UInt64(seed)))
      // Gaps, unknown values and fixes without a date.
      batch.entries.removeAll { $0.sequence % 7 == Int64(seed) }
      for index in batch.entries.indices where index % 5 == seed % 5 {
        batch.entries[index].fix.altitudeDecimeters = nil
        if seed > 2 { batch.entries[index].fix.timeMilliseconds = nil }
      }
      batches.append(batch)
    }
    batches.append(try FleetBatchTests.batch(FleetBatchTests.drive(1)))
    let lines = batches.map { String(decoding: $0.json, as: UTF8.self) }
    let folder = try ScratchFolder()
    try folder.write("decode.py", program)
    try folder.write("batches", lines.joined(separator: "\n") + "\n")
    let result = try await ChildProcess.run(
      path: "/bin/sh",
      arguments: ["-c", "python3 \(folder.path)/decode.py <\(folder.path)/batches"])
    #expect(result.code == 0)
    let printed = try result.lines.map {
      try JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }
    let expected = try lines.map { try FleetBatch(json: Array($0.utf8)) }.flatMap(Self.rows)
    #expect(printed == expected)
  }

  @Test func `the batch in the article is valid`() throws {
    let json = try #require(try Self.blocks("json").first)
    let batch = try FleetBatch(json: Array(json.utf8))
    #expect(batch.entries.map(\.sequence) == [1000, 1001, 1002])
    #expect(batch.entries.map(\.fix.errorDecimeters) == [24, 25, 23])
    #expect(batch.entries.last?.fix.timeMilliseconds == 1_790_000_002_000)
    #expect(batch.entries.allSatisfy { $0.fix.mode == 3 })
  }
}
