// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import NMEA

/// Bodies of valid sentences, which the tests corrupt.
private let validBodies: [[UInt8]] = [
  "GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,",
  "GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A",
  "GNGLL,4404.14012,N,12118.85993,W,001037.00,A,A",
  "GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN,21,0.53,01443.9,-016.5,,",
  "GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47,1",
  "GPGSV,3,1,10,03,41,050,46,07,60,317,49,08,34,315,45,11,35,148,45,1",
  "GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746",
  "GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000,1,B",
  "GPVTG,220.86,T,,M,2.550,N,4.724,K,A", "GPZDA,160012.71,11,03,2004,-1,00",
  "GPDTM,W84,,0.0,N,0.0,E,0.0,W84", "HEHDT,341.8,T", "APHDM,218.634,M",
  "SDHDG,229.8,1.0,W,1.3,E", "GNTHS,244.28,A",
  "GPTXT,01,01,02,u-blox ag - www.u-blox.com", "PGRMZ,2282,f,3", "PGRME,15.0,M,22.5,M,27.0,M",
  "WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M", "INMTW,17.9,C",
  "WIMWD,326.6,T,325.2,M,11.4,N,5.9,M", "WIMWV,59.0,R,13.0,N,A",
  "IIXDR,C,18.20,C,ENV_WATER_T,C,28.69,C,ENV_OUTAIR_T,P,101400,P,ENV_ATMOS_P",
  "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0",
  "GNHPR,081212.00,341.48,-00.64,000.00,4,46,0.00,0999",
  "PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0",
  "PSTI,036,003832.000,290322,244.28,2.77,0.00,R",
].map { Array($0.utf8) }

/// A valid log, which the tests corrupt.
private let validLog = log(
  "UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;SOL_COMPUTED,NARROW_INT,1.4,179.0,-2.4,0.0")

@Suite("Hostile NMEA input", .oneAtATime)
struct HostileInputTests {
  /// Reads an input in one piece and in several pieces, and checks the invariants of the reader.
  private func check(_ bytes: [UInt8], _ random: inout Random) {
    let options = SentenceReader.Options(
      allowsMissingChecksum: random.happens(oneIn: 2), skipsComments: random.happens(oneIn: 2))
    let whole = Reading(bytes, options: options)
    let cuts = random.cuts(of: bytes.count)
    guard whole == Reading(bytes, cutAt: cuts, options: options) else {
      Issue.record("the result differs when the input is split at \(cuts): \(bytes)")
      return
    }
    let framed = Framed(bytes, skipsComments: options.skipsComments)
    let endings = bytes.count { $0 == 0x0A || $0 == 0x0D }
    let refused = whole.errors.count { $0.isRefusal }
    guard framed.accountedBytes + endings == bytes.count,
      framed.lines.count == whole.sentences.count + whole.unsupported.count + refused,
      whole.errors.count - refused <= whole.sentences.count, framed.counters == whole.framing,
      whole.errors.allSatisfy({ (1...framed.lineNumber).contains($0.lineNumber) })
    else {
      Issue.record("not every byte and line is accounted for: \(bytes)")
      return
    }
    for sentence in whole.sentences { checkRanges(of: sentence, bytes) }
  }

  /// Checks that all values are within their ranges.
  private func checkRanges(of sentence: Sentence, _ bytes: [UInt8]) {
    func isWithin(_ number: Double?, _ range: ClosedRange<Double>) -> Bool {
      number.map { range.contains($0) && ($0 != 0 || $0.sign == .plus) } ?? true
    }
    let isInRange =
      switch sentence {
      case .gga(let fields):
        isWithin(fields.latitudeDegrees, -90...90) && isWithin(fields.longitudeDegrees, -180...180)
          && isWithin(fields.horizontalDilution, 0...99)
      case .rmc(let fields):
        isWithin(fields.latitudeDegrees, -90...90) && isWithin(fields.longitudeDegrees, -180...180)
          && isWithin(fields.courseDegreesTrue, 0...360.0.nextDown)
          && isWithin(fields.speedMetersPerSecond, 0...100_000)
          && fields.time.map { $0.hour < 24 && $0.second <= 60 } ?? true
      case .gsv(let fields): fields.satellites.allSatisfy { $0.number > 0 }
      default: true
      }
    if !isInRange { Issue.record("out of range: \(sentence) from \(bytes)") }
  }

  @Test(arguments: 0..<4)
  func `the sentence reader survives random bytes`(seed: UInt64) {
    var random = Random(seed: 100 + seed)
    for _ in 0..<RandomInputs.count(5_000) {
      var bytes = (0..<random.number(in: 0...300)).map { _ in random.byte() }
      // In half of the cases the noise is printable and occurs within sentences.
      if random.happens(oneIn: 2) { bytes = bytes.map { $0 % 0x60 + 0x20 } }
      check(bytes, &random)
    }
  }

  @Test(arguments: 0..<4)
  func `the sentence reader survives corrupted sentences with a wrong checksum`(seed: UInt64) {
    var random = Random(seed: 200 + seed)
    for _ in 0..<RandomInputs.count(20_000) {
      var bytes: [UInt8] = []
      for _ in 0..<random.number(in: 1...3) {
        let body = validBodies[random.number(in: 0...validBodies.count - 1)]
        bytes += random.happens(oneIn: 8) ? validLog : lineBytes(body) + [0x0D, 0x0A]
      }
      for _ in 0..<random.number(in: 1...4) { Self.corrupt(&bytes, &random) }
      check(bytes, &random)
    }
  }

  @Test(arguments: 0..<4)
  func `the sentence reader survives corrupted sentences with a valid checksum`(seed: UInt64) {
    var random = Random(seed: 300 + seed)
    for _ in 0..<RandomInputs.count(30_000) {
      var body = validBodies[random.number(in: 0...validBodies.count - 1)]
      for _ in 0..<random.number(in: 1...4) { Self.corrupt(&body, &random) }
      check(lineBytes(body) + [0x0D, 0x0A], &random)
    }
  }

  /// Corrupts bytes by a random change, deletion, insertion, repetition or truncation.
  static func corrupt(_ bytes: inout [UInt8], _ random: inout Random) {
    guard !bytes.isEmpty else { return }
    let place = random.number(in: 0...bytes.count - 1)
    let end = min(bytes.count, place + random.number(in: 1...12))
    let letters = Array("$!*,.-+#\\09AZ\r\n".utf8)
    switch random.number(in: 0...6) {
    case 0: bytes[place] ^= 1 << UInt8(random.number(in: 0...7))
    case 1: bytes[place] = random.byte()
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(letters[random.number(in: 0...letters.count - 1)], at: place)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 5: bytes[place] = letters[random.number(in: 0...letters.count - 1)]
    default: bytes.removeSubrange(place...)
    }
  }
}
