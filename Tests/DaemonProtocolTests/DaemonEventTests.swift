// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@Suite("Objects of the daemon's protocol") struct DaemonEventTests {
  private static let now = MonotonicTime(nanoseconds: 50_000_000_000)

  private static func fix() throws -> Fix {
    var fix = Fix.at(54.093468333, -10.824651667)
    fix.time = UTCTime(secondsSince1970: 1_248_432_426, nanosecond: 250_000_000)
    fix.altitudeMetersAboveSeaLevel = 40.8
    fix.speedMetersPerSecond = 0.123
    fix.courseDegreesTrue = 18.02
    fix.speedAccuracyMetersPerSecond = 0.8
    fix.courseAccuracyDegrees = 12.5
    fix.horizontalAccuracy = Accuracy(meters: 20.9, confidencePercent: 95, basis: .receiver)
    fix.satellitesUsed = 8
    fix.status = .differential
    fix.dilution.horizontal = 1.1
    fix.source = "/dev/ttyACM0"
    fix.isSimulated = true
    fix.receivedAt = MonotonicTime(nanoseconds: 48_500_000_000)
    return fix
  }

  @Test func `an encoded fix is decoded with its time of reception`() throws {
    var line = JSONLine()
    line.appendTPV(try Self.fix(), now: Self.now)
    #expect(try DaemonEvent(json: line.bytes, now: Self.now) == .fix(Self.fix()))
  }

  @Test func `an encoded heading is decoded unchanged`() throws {
    var fix = try Self.fix()
    fix.headingDegreesTrue = 341.8
    for magnetic in [nil, 338.6] {
      fix.headingDegreesMagnetic = magnetic
      (fix.rollDegrees, fix.pitchDegrees) = (magnetic.map { _ in -1.26 }, magnetic.map { _ in 0.83 })
      let heading = try #require(Heading(fix))
      var line = JSONLine()
      line.appendATT(heading)
      #expect(try DaemonEvent(json: line.bytes, now: nil) == .heading(heading))
    }
  }

  @Test func `an encoded replayed fix is decoded with its recorded time, and arrives when it is decoded`() throws {
    var fix = try Self.fix()
    fix.isReplayed = true
    fix.recordedAt = MonotonicTime(nanoseconds: -48_500_000_000)
    var line = JSONLine()
    line.appendTPV(fix, now: Self.now)
    fix.receivedAt = Self.now
    #expect(try DaemonEvent(json: line.bytes, now: Self.now) == .fix(fix))
    line.removeAll()
    fix.headingDegreesTrue = 5
    let heading = try #require(Heading(fix))
    line.appendATT(heading)
    #expect(try DaemonEvent(json: line.bytes, now: Self.now) == .heading(heading))
    #expect(heading.isReplayed)
    var sky = SkyView()
    (sky.isReplayed, sky.receivedAt) = (true, Self.now)
    line.removeAll()
    line.appendSKY(sky)
    #expect(try DaemonEvent(json: line.bytes, now: Self.now) == .sky(sky))
  }

  @Test func `a last known position is encoded and decoded as not current`() throws {
    let fix = try Self.fix()
    for isCurrent in [true, false] {
      var line = JSONLine()
      line.appendTPV(fix, now: Self.now, isLast: !isCurrent)
      let text = String(decoding: line.bytes, as: UTF8.self)
      #expect(text.contains(#","age":1.5,"last":true,"simulated":true"#) != isCurrent, "\(text)")
      #expect(try LastKnownFix(json: line.bytes, now: Self.now) == LastKnownFix(fix, isCurrent: isCurrent))
    }
    let none = Array(#"{"class":"TPV","mode":1}"#.utf8)
    #expect(throws: DaemonDecodingError.self) { try LastKnownFix(json: none, now: Self.now) }
  }

  @Test(arguments: ["", #","age":1e300"#])
  func `a fix without a valid age, for example a fix with reduced accuracy, has no time of reception`(age: String)
    throws
  {
    let json = #"{"class":"TPV","mode":2,"lat":54.075,"lon":10.8\#(age)}"#
    guard case .fix(let fix) = try DaemonEvent(json: Array(json.utf8), now: Self.now) else {
      Issue.record("no fix")
      return
    }
    #expect(fix.mode == .twoDimensional && fix.receivedAt == nil)
    var line = JSONLine()
    line.appendTPV(fix, now: Self.now)
    #expect(!String(decoding: line.bytes, as: UTF8.self).contains("age"))
  }

  @Test func `an encoded satellite view is decoded unchanged`() throws {
    var satellite = Satellite(id: SatelliteID(system: .glonass, number: 5), rawNumber: 5)
    satellite.elevationDegrees = 45
    satellite.signalToNoiseDBHz = 33
    satellite.isUsed = true
    var sky = SkyView(time: UTCTime(secondsSince1970: 1_248_432_426), satellites: [satellite])
    sky.source = "/dev/ttyACM0"
    sky.receivedAt = Self.now
    var line = JSONLine()
    line.appendSKY(sky, device: sky.source)
    #expect(try DaemonEvent(json: line.bytes, now: Self.now) == .sky(sky))
  }

  @Test func `a receiver's statement about itself is decoded, and an unknown kind is kept as JSON`()
    throws
  {
    let json = #"{"class":"MESSAGE","device":"/dev/a","kind":"antenna","antenna":"open"}"#
    var message = ReceiverMessage(antenna: .open)
    (message.source, message.receivedAt) = ("/dev/a", Self.now)
    #expect(try DaemonEvent(json: Array(json.utf8), now: Self.now) == .message(message))
    let warning = #"{"class":"MESSAGE","kind":"warning","text":"x","repeated":true}"#
    #expect(
      try DaemonEvent(json: Array(warning.utf8), now: nil)
        == .message(ReceiverMessage(.warning, "x", isRepeated: true)))
    let newer = Array(#"{"class":"MESSAGE","kind":"battery"}"#.utf8)
    #expect(try DaemonEvent(json: newer, now: nil) == .other(class: "MESSAGE", json: newer))
  }

  @Test(arguments: [
    #"{"class":"TPV","mode":3}"#, #"{"class":"TPV","mode":3,"lat":91,"lon":0}"#,
    #"{"class":"TPV","mode":2,"lat":1}"#, #"{"class":"TPV","lat":1,"lon":1}"#,
    #"{"class":"TPV","mode":9,"lat":1,"lon":1,"time":"yesterday","age":1e300}"#,
  ])
  func `an incomplete or invalid position is decoded as a fix without a position`(json: String) throws {
    guard case .fix(let fix) = try DaemonEvent(json: Array(json.utf8), now: Self.now) else {
      Issue.record("no fix")
      return
    }
    #expect(fix.mode == .none)
    #expect(fix.coordinate == nil)
  }

  @Test(arguments: AuthorizationStatus.allCases, AccuracyAuthorization.allCases)
  func `an encoded authorization is decoded unchanged`(status: AuthorizationStatus, accuracy: AccuracyAuthorization)
    throws
  {
    let authorization = DaemonAuthorization(
      Authorization(status, accuracy: accuracy), isPending: status == .notDetermined,
      isDeniedGlobally: status == .denied,
      advice: status.isAuthorized ? nil : "allow it with: sudo fixcast auth allow user=pi")
    #expect(try DaemonEvent(json: authorization.json, now: nil) == .authorization(authorization))
  }

  @Test func `unknown values of an authorization are decoded as restricted and reduced`() throws {
    let json = Array(#"{"class":"AUTH","status":"sometimes","accuracy":"street"}"#.utf8)
    #expect(
      try DaemonEvent(json: json, now: nil)
        == .authorization(DaemonAuthorization(Authorization(.restricted, accuracy: .reducedAccuracy))))
  }

  @Test(arguments: [nil, "/dev/ttyACM0"], SourceLoss.Reason.all)
  func `an encoded loss of a receiver or of a whole source is decoded unchanged`(
    receiver: String?, reason: SourceLoss.Reason
  ) throws {
    let loss = SourceLoss(reason, receiver: receiver, detail: "errno 5")
    let object = SourceLossObject(loss, source: "gpsd")
    #expect(try DaemonEvent(json: object.json, now: nil) == .lost(loss, source: receiver ?? "gpsd"))
  }

  @Test(arguments: ["plugin", "tooOften", "notAuthorized", "of a newer daemon"])
  func `failures of plugins and requests are not decoded as the loss of a source`(error: String) throws {
    let json = Array(#"{"class":"ERROR","error":"\#(error)","message":"m","source":"s"}"#.utf8)
    #expect(try DaemonEvent(json: json, now: nil) == .failure(message: "m", source: "s"))
  }

  @Test func `a failure, a report of dropped objects, and an object of an unknown class are decoded`() throws {
    let failure = Array(#"{"class":"ERROR","message":"m","source":"s"}"#.utf8)
    #expect(try DaemonEvent(json: failure, now: nil) == .failure(message: "m", source: "s"))
    let dropped = Array(#"{"class":"ERROR","message":"m","dropped":3}"#.utf8)
    #expect(try DaemonEvent(json: dropped, now: nil) == .dropped(3))
    let other = Array(#"{"class":"TIDE","height":1}"#.utf8)
    #expect(try DaemonEvent(json: other, now: nil) == .other(class: "TIDE", json: other))
    #expect(throws: DaemonDecodingError.self) { try DaemonEvent(json: [0x7B], now: nil) }
  }

  @Test func `an encoded status is decoded with the daemon's report`() throws {
    let status = DaemonStatus(
      client: "uid=1000 unit=a.service",
      authorization: DaemonAuthorization(Authorization(.denied)), connectionCount: 3,
      refusedCount: 1, daemon: Array(#"{"in":1,"out":{"x":2}}"#.utf8))
    #expect(try DaemonStatus(json: status.json) == status)
    var withoutReport = status
    withoutReport.daemon = []
    #expect(try DaemonStatus(json: withoutReport.json) == withoutReport)
    #expect(throws: DaemonDecodingError.self) { try DaemonStatus(json: Array("{}".utf8)) }
  }
}

extension SourceLoss.Reason {
  fileprivate static let all: [Self] = [
    .unreachable, .disconnected, .silent, .deactivated, .incompatible,
  ]
}
