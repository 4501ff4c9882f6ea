// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import Receivers

/// The outline of epochs of one mode at seconds after a minute.
private func epochs(_ minute: String, _ seconds: [Int], mode: Int = 3) -> [String] {
  seconds.map { "\(minute):\($0) \(mode)" }
}

/// The inputs from public fault reports, recorded and live.
@Suite(.enabled(if: !Corpus.fieldInputs.isEmpty, "no inputs from the field: set FIXCAST_CORPUS"))
struct FieldInputTests {
  private static let today = UTCDate(year: 2026, month: 11, day: 27)

  private func bytes(_ name: String) throws -> [UInt8] {
    let file = try #require(Corpus.fieldInputs[name], "\(name)")
    return [UInt8](try Data(contentsOf: file))
  }

  /// Decodes an input like `fixcast decode`: with a survey first.
  private func recorded(_ name: String) throws -> DecoderFixture {
    let bytes = try bytes(name)
    var survey = RecordingSurvey()
    survey.read(bytes.span)
    var fixture = DecoderFixture(survey: survey)
    fixture.send(bytes: bytes)
    fixture.finish()
    return fixture
  }

  /// Decodes an input at one burst a second; a burst begins where the time changes.
  private func live(_ name: String) throws -> DecoderFixture {
    let lines = try bytes(name).split(separator: 0x0A, omittingEmptySubsequences: false)
    var fixture = DecoderFixture(.live, trustedDate: Self.today)
    var lastTime: String?
    for line in lines where !line.isEmpty {
      if let time = Self.time(in: String(decoding: line, as: UTF8.self)) {
        if let lastTime, time != lastTime { fixture.pause(milliseconds: 900) }
        lastTime = time
      }
      fixture.send(bytes: line + [0x0A])
    }
    fixture.pause(milliseconds: 900)
    fixture.finish()
    return fixture
  }

  /// The time in a sentence that begins a burst; `nil` for other sentences.
  private static func time(in line: String) -> String? {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count > 6 else { return nil }
    let time: Substring
    switch fields[0].suffix(3) {
    case "RMC", "GGA", "GNS": time = fields[1]
    case "GLL": time = fields[5]
    default: return nil
    }
    return time.isEmpty ? nil : String(time)
  }

  @Test(arguments: [
    ("unicore-rmc-status-d", epochs("2026-3-27 9:15", [10, 11, 12])),
    ("null-island-mixed", epochs("2005-5-5 0:0", [0, 0, 0, 0], mode: 1)),
    ("null-island-alone", epochs("2018-10-24 10:0", [0, 1, 2, 3], mode: 2)),
    ("minutes-60", epochs("2016-7-1 16:13", [8, 9, 10])),
    ("samsung-dtm-p90", epochs("2021-6-14 18:18", [46, 47, 48])),
    ("pashr", epochs("2026-11-27 8:53", [30, 31, 32])),
    ("ublox7-hae-floor", epochs("2026-11-27 12:0", [0, 1, 2])),
    (
      "reboot-midstream",
      epochs("2026-11-27 12:0", [0, 1, 2]) + ["no time 1", "no time 1"]
        + epochs("2026-11-27 12:0", [8], mode: 1) + epochs("2026-11-27 12:0", [9, 10])
    ),
  ])
  func `a recording has the epochs of the receiver`(name: String, expected: [String]) throws {
    let fixes = try recorded(name).fixes
    #expect(outline(fixes) == expected)
  }

  @Test(arguments: [
    ("unicore-rmc-status-d", epochs("2026-3-27 9:15", [10, 11, 12])),
    ("minutes-60", epochs("2016-7-1 16:13", [8, 9, 10])),
    ("pashr", epochs("2026-11-27 8:53", [30, 31, 32])),
    ("ublox7-hae-floor", epochs("2026-11-27 12:0", [0, 1, 2])),
    ("leapseconds-back-3s", epochs("2026-11-27 12:0", Array(3...7) + Array(5...11))),
    ("back-3s-live", epochs("2026-11-27 12:0", Array(3...12) + Array(10...19))),
    ("fix-2016-live", epochs("2016-7-1 16:13", Array(0..<30))),
    ("void-1980-live", epochs("1980-1-6 0:0", Array(0..<30), mode: 1)),
    ("void-2013-live", epochs("2013-9-1 0:0", Array(0..<30), mode: 1)),
    ("antenna-open", epochs("1980-1-6 0:43", Array(13...17), mode: 1)),
    ("sky-becomes-empty", epochs("2026-11-27 10:0", Array(0...3)) + epochs("2026-11-27 10:0", Array(4...13), mode: 1)),
  ])
  func `a program receives the same epochs live as from a recording`(name: String, expected: [String]) throws {
    let fixes = try live(name).deliveredFixes
    #expect(outline(fixes) == expected)
    #expect(fixes.allSatisfy { !$0.isDateCorrected })
    let recordedFixes = try recorded(name).fixes
    #expect(outline(recordedFixes) == expected)
  }

  @Test func `positions, heights and variations are those of the receiver`() throws {
    let unicore = try recorded("unicore-rmc-status-d").fixes
    #expect(unicore.map(\.status) == [.rtkFixed, .rtkFixed, .rtkFixed])
    let rounded = try recorded("minutes-60").fixes
    #expect(rounded.dropFirst().first?.coordinate == .at(60, 30))
    let mixed = try recorded("null-island-mixed").fixes
    #expect(mixed.allSatisfy { $0.coordinate == nil })
    let zero = try recorded("null-island-alone").fixes
    #expect(zero.allSatisfy { $0.coordinate?.isZero == true })
    let samsung = try recorded("samsung-dtm-p90").fixes
    for fix in samsung {
      #expect(fix.coordinate == .at(51.5, -82.1))
      #expect(fix.altitudeMetersAboveSeaLevel == 9.1)
      #expect(abs((fix.altitudeMetersAboveEllipsoid ?? 0) + 14.9) < 1e-9)
      #expect(fix.magneticVariationDegrees == -3.1 && fix.speedMetersPerSecond == 0)
    }
    let ublox = try recorded("ublox7-hae-floor").fixes
    for fix in ublox {
      #expect(fix.altitudeMetersAboveSeaLevel == 10.2 && fix.geoidSeparationMeters == -35.3)
      #expect(abs((fix.altitudeMetersAboveEllipsoid ?? 0) + 25.1) < 1e-9)
    }
  }

  @Test func `headings have roll and pitch, recorded and live`() throws {
    let (recording, line) = (try recorded("pashr"), try live("pashr"))
    for fixes in [recording.fixes, line.fixes] {
      #expect(fixes.map(\.headingDegreesTrue) == [224.19, 224.19, 224.19])
      #expect(fixes.map(\.rollDegrees) == [-1.26, -1.26, -1.26])
      #expect(fixes.map(\.pitchDegrees) == [0.83, 0.83, 0.83])
    }
  }

  @Test func `a sky belongs to its own epoch, and an empty sky replaces the previous sky`() throws {
    let samsung = try recorded("samsung-dtm-p90")
    #expect(samsung.skies.map(\.time) == samsung.fixes.map(\.time))
    #expect(samsung.skies.map(\.satellites.count) == [11, 11, 11])
    #expect(samsung.skies.map(\.dilution.position) == [0.8, 0.8, 0.8])
    let (recording, line) = (try recorded("sky-becomes-empty"), try live("sky-becomes-empty"))
    for fixture in [recording, line] {
      #expect(fixture.skies.map(\.satellites.count) == [8, 8, 8, 8] + Array(repeating: 0, count: 10))
      #expect(fixture.skies.map(\.time) == fixture.fixes.map(\.time))
    }
    let open = try live("antenna-open")
    #expect(open.skies.count == 5 && open.skies.allSatisfy(\.satellites.isEmpty))
    #expect(open.messages.map(\.antenna) == [.open])
  }

  @Test func `refused sentences, missing checksums and 7 data bits are told apart`() throws {
    let gll = try recorded("gll-space-alone").decoder.counters
    #expect(gll.refusedSentences == 3 && gll.errors == 3)
    #expect(gll.firstRefused == "GPGLL field 4: unexpected letter")
    let rmc = try recorded("rmc-time-malformed").decoder.counters
    #expect(rmc.refusedSentences == 4 && rmc.errors == 4)
    #expect(rmc.firstRefused == "GPRMC field 1: not a time of day")
    let unchecked = try recorded("no-checksum").decoder.counters
    #expect(unchecked.linesWithoutChecksum == 60 && unchecked.errors == 60)
    var decoder = NMEADecoder(source: nil, pace: .recorded, allowsMissingChecksum: true)
    var fixes: [Fix] = []
    let uncheckedBytes = try bytes("no-checksum")
    decoder.decode(uncheckedBytes.span, receivedAt: nil) { event in
      if case .fix(let fix) = event { fixes.append(fix) }
    }
    #expect(fixes.count == 19 && fixes.allSatisfy { $0.isUnchecked && $0.coordinate != nil })
    let parity = try bytes("parity-7e1")
    #expect(DataFormat(of: parity) == .evenParity)
  }
}
