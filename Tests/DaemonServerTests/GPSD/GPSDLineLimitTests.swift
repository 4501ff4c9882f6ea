// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import DaemonServer

/// The limits of the buffers in libgps, beyond which libgps discards an object.
@Suite struct GPSDLineLimitTests {
  private static let longName = "/dev/serial/by-id/" + String(repeating: "é", count: 100)

  private func watching() -> GPSDSession {
    var session = GPSDSession(version: GPSDFixture.version)
    _ = session.lines(#"?WATCH={"json":true};"#)
    return session
  }

  /// Returns a sky whose entries have the maximum length.
  private func sky(count: Int, usedCount: Int) -> SkyView {
    var sky = GPSDFixture.sky
    sky.satellites = (0..<count).map { index in
      var satellite = Satellite(
        id: SatelliteID(system: .navic, number: UInt8(100 + index % 100)), rawNumber: 1)
      satellite.signal = 15
      satellite.elevationDegrees = -12.5
      satellite.azimuthDegrees = 123.4
      satellite.signalToNoiseDBHz = 45.6
      satellite.isUsed = index >= count - usedCount
      return satellite
    }
    return sky
  }

  @Test(arguments: [140, 141, 512])
  func `a sky has at most 140 entries on a line of less than 10,240 bytes`(count: Int) throws {
    let bytes = try #require(watching().frame(of: sky(count: count, usedCount: 30)))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(bytes.count < 10_240 && bytes.count > 9_800, "\(bytes.count)")
    let entries = text.ranges(of: "\"PRN\"").count
    #expect(entries <= 140 && entries > 100, "\(entries)")
    #expect(text.ranges(of: "\"used\":true").count == 30)
  }

  @Test func `a poll with a large sky fits on a line of less than 10,240 bytes`() {
    var session = watching()
    var view = GPSDFixture.view
    view.sky = sky(count: 512, usedCount: 512)
    let bytes = session.receive(Array("?POLL;".utf8), view)
    #expect(bytes.count < 10_240 && bytes.count > 9_800, "\(bytes.count)")
    #expect(bytes.suffix(6) == Array("]}]}\r\n".utf8)[...])
  }

  @Test func `a long device name is truncated everywhere`() throws {
    var session = watching()
    var view = GPSDFixture.view
    view.devices[0].receiver.name = Self.longName
    view.fix?.source = Self.longName
    view.sky?.source = Self.longName
    let short = String(Self.longName.prefix(18 + 54))
    #expect(short.utf8.count == 126)
    let answers = session.lines(#"?WATCH={"json":true,"device":"\#(short)"};?DEVICE;?POLL;"#, view)
    #expect(answers.count == 4)
    #expect(answers.allSatisfy { $0.contains(short + "\"") })
    let fix = try #require(view.fix)
    #expect(GPSDSession.lines(session.frame(of: fix, now: nil))[0].contains(short + "\""))
  }

  @Test func `at most four devices are listed`() {
    var session = watching()
    var view = GPSDFixture.view
    view.devices = [GPSDDevice](repeating: GPSDFixture.device, count: 9)
    let line = session.lines("?DEVICES;", view).first ?? ""
    #expect(line.ranges(of: "\"path\"").count == 4)
  }
}
