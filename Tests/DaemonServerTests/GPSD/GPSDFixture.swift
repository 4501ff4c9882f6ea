// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastTesting
import Positioning

/// The values that the tests of the gpsd protocol send and expect.
enum GPSDFixture {
  static let version = GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14, revision: "fixcast 1.0.0")
  static let time = UTCTime.noon

  static let versionLine =
    #"{"class":"VERSION","release":"3.22","rev":"fixcast 1.0.0","proto_major":3,"proto_minor":14}"#
  static let deviceLine =
    #"{"class":"DEVICE","path":"/dev/ttyACM0","driver":"NMEA0183","#
    + #""activated":"2026-11-21T12:00:00.000Z","flags":1,"native":0,"bps":9600,"parity":"N","#
    + #""stopbits":1}"#
  static let devicesLine = #"{"class":"DEVICES","devices":["# + deviceLine + "]}"
  static let tpvLine =
    #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-11-21T12:00:00.000Z","#
    + #""lat":48.117300000,"lon":11.516666667,"altHAE":592.3,"altMSL":545.4,"geoidSep":46.9,"#
    + #""speed":0.309,"track":84.4,"magvar":3.6,"eph":5.0,"epv":12.0,"#
    + #""alt":545.4,"epx":3.0,"epy":4.0,"sep":13.0,"magtrack":80.8}"#
  static let skyLine =
    #"{"class":"SKY","device":"/dev/ttyACM0","xdop":0.6,"ydop":0.8,"nSat":1,"uSat":1,"#
    + #""satellites":[{"PRN":4,"gnssid":0,"svid":4,"el":40.0,"az":83.0,"ss":46.0,"used":true}]}"#

  static var device: GPSDDevice {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.driver = "NMEA0183"
    receiver.baud = 9600
    return GPSDDevice(receiver, activated: time)
  }

  static var fix: Fix {
    var fix = Fix.at(48.1173, 11.516666667, time: time)
    fix.source = "/dev/ttyACM0"
    fix.altitudeMetersAboveEllipsoid = 592.3
    fix.altitudeMetersAboveSeaLevel = 545.4
    fix.geoidSeparationMeters = 46.9
    fix.speedMetersPerSecond = 0.309
    fix.courseDegreesTrue = 84.4
    fix.magneticVariationDegrees = 3.6
    fix.horizontalAccuracy = Accuracy(meters: 5, confidencePercent: 95, basis: .dilution)
    fix.verticalAccuracy = Accuracy(meters: 12, confidencePercent: 95, basis: .dilution)
    fix.dilution.x = 0.6
    fix.dilution.y = 0.8
    return fix
  }

  static var sky: SkyView {
    let satellite = Samples.satellite(4, signalDBHz: 46, isUsed: true, elevation: 40, azimuth: 83)
    var sky = SkyView(satellites: [satellite])
    sky.source = "/dev/ttyACM0"
    sky.dilution.x = 0.6
    sky.dilution.y = 0.8
    return sky
  }

  /// The view of a client with full accuracy.
  static var view: GPSDView {
    var view = GPSDView()
    view.devices = [device]
    view.fix = fix
    view.sky = sky
    view.now = time
    return view
  }

  /// Returns the answer of the server to `?WATCH` with these settings.
  static func watchLine(
    enable: Bool = true, json: Bool = false, nmea: Bool = false, raw: Int = 0,
    scaled: Bool = false, pps: Bool = false, suffix: String = ""
  ) -> String {
    #"{"class":"WATCH","enable":\#(enable),"json":\#(json),"nmea":\#(nmea),"raw":\#(raw),"#
      + #""scaled":\#(scaled),"timing":false,"split24":false,"pps":\#(pps)\#(suffix)}"#
  }
}

extension GPSDSession {
  /// Receives text and returns the lines of the answer.
  mutating func lines(_ text: String, _ view: GPSDView = GPSDFixture.view) -> [String] {
    GPSDSession.lines(receive(Array(text.utf8), view))
  }

  /// Splits bytes into lines, of which each must end with CR LF.
  static func lines(_ bytes: [UInt8]?) -> [String] {
    guard let bytes else { return ["not watched"] }
    let text = String(decoding: bytes, as: UTF8.self)
    guard !text.isEmpty else { return [] }
    guard text.hasSuffix("\r\n") else { return ["incomplete: \(text)"] }
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().map {
      $0.contains("\n") || $0.contains("\r") ? "stray line ending: \($0)" : String($0)
    }
  }
}
