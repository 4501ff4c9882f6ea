// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import Receivers

/// Recognition of binary protocols.
@Suite struct BinaryRecognizerTests {
  private func recognize(_ bytes: [UInt8], chunk: Int) -> BinaryProtocol? {
    var recognizer = BinaryRecognizer()
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      recognizer.take(bytes.span.extracting(start..<min(start + chunk, bytes.count)))
    }
    return recognizer.recognized
  }

  /// Frames: UBX-NAV-STATUS, an empty SiRF message, a SkyTraq acknowledgement, RTCM 1005, and a
  /// TSIP time.
  private static let frames: [BinaryProtocol: [UInt8]] = [
    .ubx: [
      0xB5, 0x62, 0x01, 0x03, 0x04, 0x00, 0x10, 0x20, 0x30, 0x40, 0xA8, 0x75,
    ],
    .sirf: [0xA0, 0xA2, 0x00, 0x02, 0x0B, 0x95, 0x00, 0xA0, 0xB0, 0xB3],
    .skyTraq: [0xA0, 0xA1, 0x00, 0x02, 0x83, 0x02, 0x81, 0x0D, 0x0A],
    .rtcm3: [
      0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4, 0xBD,
      0x62, 0xAC, 0x09, 0x41, 0x98, 0x6F, 0x33, 0x36, 0x0B, 0x98,
    ],
    .dleFramed: [0x10, 0x41, 0x48, 0x10, 0x10, 0x00, 0x00, 0x10, 0x03],
  ]

  @Test(arguments: BinaryProtocol.allCases)
  func `each binary protocol is recognized by its complete frames, with any chunk size`(candidate: BinaryProtocol)
    throws
  {
    let frame = try #require(Self.frames[candidate])
    let noise: [UInt8] = [0xB5, 0xA0, 0xD3, 0xFF]
    for chunk in 1...13 {
      let stream = (0..<4).flatMap { _ in noise + frame }
      #expect(recognize(stream, chunk: chunk) == candidate, "chunks of \(chunk)")
    }
    #expect(recognize(frame + frame, chunk: 64) == nil, "two frames are not sufficient")
  }

  @Test(arguments: BinaryProtocol.allCases)
  func `frames with a wrong checksum are not recognized`(candidate: BinaryProtocol) throws {
    guard candidate != .dleFramed else { return }
    var frame = try #require(Self.frames[candidate])
    frame[6] ^= 0x01
    #expect(recognize((0..<20).flatMap { _ in frame }, chunk: 7) != candidate)
  }

  @Test func `sentences, random bytes and zeros are not recognized as a binary protocol`() {
    let sentences = Array(
      String(repeating: "$GPGGA,104706,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7F\r\n", count: 50).utf8)
    #expect(recognize(sentences, chunk: 33) == nil)
    #expect(recognize([UInt8](repeating: 0, count: 5000), chunk: 100) == nil)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      let bytes = (0..<4000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      let found = recognize(bytes, chunk: 61)
      #expect(found == nil || found == .dleFramed)
    }
  }

  @Test(arguments: [
    ("skytraq-bin", BinaryProtocol.skyTraq), ("sirfstarv", .sirf), ("bu303-moving", .sirf),
    ("trimble-lassen_iq", .dleFramed), ("garmin18x-bin", .dleFramed),
  ])
  func `the binary protocols of recorded receivers are recognized`(name: String, expected: BinaryProtocol) throws {
    let log = try #require(Corpus.logs.first { $0.lastPathComponent == "\(name).log" }, Recording.absence)
    let bytes = [UInt8](try Data(contentsOf: log))
    #expect(recognize(bytes, chunk: 97) == expected)
  }

  @Test func `a binary protocol after a banner of sentences is recognized`() throws {
    let frames = try #require(Self.frames[.ubx]).repeated(5)
    var watch = BinaryWatch()
    for second in 0..<7 {
      let now = MonotonicTime.at(second)
      #expect(watch.take(frames.span, sentences: 2, at: now) == nil, "second \(second)")
    }
    let last = MonotonicTime(nanoseconds: 7_500_000_000)
    #expect(watch.take(frames.span, sentences: 2, at: last) == .ubx)
  }

  @Test func `a port with one sentence per second between binary frames does not count as binary-only`() throws {
    let frames = try #require(Self.frames[.ubx]).repeated(5)
    var watch = BinaryWatch()
    for second in 0..<100 {
      let now = MonotonicTime.at(second)
      #expect(watch.take(frames.span, sentences: UInt64(second), at: now) == nil)
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: [9600, nil])
  func `the error for a port with only a binary protocol names the protocol and gpsd`(baud: Int?) async throws {
    let terminal = try PseudoTerminal()
    let source = SerialSource(devnode: terminal.devnode, baud: baud)
    let read = EventRecorder<Bool>()
    let reading = Task { () -> SerialError? in
      do throws(SerialError) {
        try await source.run { _ in }
        return nil
      } catch {
        read.record(true)
        return error
      }
    }
    let frame = try #require(Self.frames[.ubx])
    let device = Task {
      while !Task.isCancelled {
        terminal.write(frame.repeated(5))
        try? await ContinuousClock().sleep(for: .milliseconds(100))
      }
    }
    _ = await read.wait(for: 1)
    device.cancel()
    let error = try #require(await reading.value)
    #expect(error.kind == .binaryOnly(.ubx))
    #expect(error.description.contains("UBX (u-blox) and no NMEA; gpsd supports"))
    await device.value
  }
}

extension [UInt8] {
  /// Returns the bytes repeated a number of times.
  fileprivate func repeated(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in self } }
}
