// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Receivers
import Testing

/// The sentences of ``NMEAEpoch``, read by Fixcast's decoder.
@Suite struct NMEAEpochRoundTripTests {
  @Test(.enabled(if: !Corpus.logs.isEmpty, Recording.absence), arguments: Corpus.logs)
  func `the decoder reads the sentences of every fix of a recording as the same fix`(log: URL) throws {
    var decoder = NMEADecoder(source: nil, pace: .recorded, allowsMissingChecksum: true)
    var fixes: [(Fix, SkyView?)] = []
    var sky: SkyView?
    let take = { (event: FixSourceEvent) in
      switch event {
      case .fix(let fix): fixes.append((fix, sky))
      case .sky(let view): sky = view
      default: break
      }
    }
    let bytes = [UInt8](try Data(contentsOf: log))
    decoder.decode(bytes.span, receivedAt: nil, deliver: take)
    decoder.finish(deliver: take)
    for (fix, sky) in fixes { try check(fix, sky) }
  }

  @Test func `the decoder reads the sentences of random fixes as the same fixes`() throws {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<RandomInputs.count(20_000) { try check(Self.randomFix(&random), nil) }
  }

  private func check(_ fix: Fix, _ sky: SkyView?) throws {
    let bytes = NMEAEpoch.sentences(of: fix, sky: sky)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.allSatisfy { $0.count < 82 && $0.last == UInt8(ascii: "\r") })
    var decoder = NMEADecoder(source: nil, pace: .recorded)
    var decoded: [Fix] = []
    let take = { (event: FixSourceEvent) in
      if case .fix(let fix) = event { decoded.append(fix) }
    }
    decoder.decode(bytes.span, receivedAt: nil, deliver: take)
    decoder.finish(deliver: take)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(decoder.counters.sentences == UInt64(lines.count), "\(text)")
    #expect(decoder.counters.errors + decoder.counters.flawedFields == 0, "\(text)")
    #expect(decoded.count == 1, "\(text)")
    let differences = NMEAEpochComparison(of: fix, with: try #require(decoded.first)).differences
    #expect(differences.isEmpty, "\(differences) \(fix) \(text)")
  }

  private static func randomFix(_ random: inout SeededGenerator) -> Fix {
    func maybe(_ range: ClosedRange<Double>) -> Double? {
      Int.random(in: 0..<4, using: &random) == 0 ? nil : Double.random(in: range, using: &random)
    }
    let modes: [FixMode] = [.none, .twoDimensional, .threeDimensional, .threeDimensional]
    var fix = Fix(mode: modes.randomElement(using: &random) ?? .none)
    fix.time = UTCTime(
      // 1980 to 2068: RMC has the last two digits of the year.
      secondsSince1970: .random(in: 315_964_800..<3_124_137_600, using: &random),
      nanosecond: .random(in: 0..<1_000_000_000, using: &random))
    fix.satellitesUsed = maybe(0...99).map { Int($0) }
    guard fix.mode > .none else { return fix }
    fix.coordinate = Coordinate.at(
      .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
    if fix.mode == .threeDimensional {
      fix.altitudeMetersAboveSeaLevel = maybe(-10_000...100_000)
      fix.geoidSeparationMeters = maybe(-120...120)
    }
    fix.speedMetersPerSecond = maybe(0...51_000)
    fix.courseDegreesTrue = maybe(0...359.999_999)
    fix.magneticVariationDegrees = maybe(-180...180)
    fix.dilution.position = maybe(0.1...99)
    fix.dilution.horizontal = maybe(0.1...99)
    fix.dilution.vertical = maybe(0.1...99)
    fix.status = maybe(1...9.99).flatMap { FixStatus(rawValue: UInt8($0)) }
    fix.isSimulated = fix.status == .simulated
    return fix
  }
}
