// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Metrics of the server core") struct ServerMetricsTests {
  private static let request = DaemonRequest(.metrics)
  private static let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)

  /// Returns a fixture with a position and satellites.
  private static func fixture(_ initial: Authorization = Authorization(.authorizedAlways)) -> ServerCoreFixture {
    var fixture = ServerCoreFixture(initial: initial)
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: true)
    receiver.stableName = "usb-u-blox"
    fixture.handle(.published(.receiver(receiver, at: nil)))
    fixture.publishFix()
    let satellites = [Samples.satellite(13, signalDBHz: 41.5, isUsed: true), Samples.satellite(14)]
    fixture.handle(.published(.sky(SkyView(satellites: satellites))))
    return fixture
  }

  /// Requests the metrics, and returns the response.
  private static func metrics(_ fixture: inout ServerCoreFixture) -> String {
    let id = fixture.request(request)
    return fixture.text(id)
  }

  @Test func `a client with full accuracy gets the state of the receiver, but no position by default`() {
    var fixture = Self.fixture()
    let text = Self.metrics(&fixture)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(text.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    for line in [
      "full 1", #"fixcast_receiver_connected{receiver="usb-u-blox"} 1"#,
      #"fixcast_fix_mode{receiver="usb-u-blox"} 3"#,
      #"fixcast_satellites{gnss="gps",used="true"} 1"#,
      #"fixcast_satellites{gnss="gps",used="false"} 1"#,
      #"fixcast_signal_dbhz{gnss="gps"} 41.5"#,
      #"fixcast_clients{accuracy="full"} 1"#, #"fixcast_clients{accuracy="none"} 0"#,
      "fixcast_authorization_requests_pending 0",
    ] {
      #expect(text.contains("\(line)\n"), "\(line): \(text)")
    }
    #expect(!text.contains("54.09") && !text.contains("degrees") && !text.contains("uid"))
    // The fix has no time and no accuracy.
    #expect(!text.contains("timestamp") && !text.contains("accuracy_meters"))
    let families = text.split(separator: "\n").filter { $0.hasPrefix("fixcast_") }
      .compactMap { $0.split { "{ ".contains($0) }.first }
    for family in Set(families) {
      #expect(text.contains("# HELP \(family) ") && text.contains("# TYPE \(family) gauge\n"))
    }
  }

  @Test func `values of the last fix are absent after ten seconds, except its time`() {
    var fixture = Self.fixture()
    fixture.handle(.published(.fix(.at(54, 10, time: .noon) { $0.receivedAt = fixture.now })))
    fixture.advance(seconds: 60)
    let text = Self.metrics(&fixture)
    #expect(text.contains("\nfixcast_fix_timestamp_seconds 1795262400\n"), "\(text)")
    for name in ["fix_mode", "satellites", "signal"] { #expect(!text.contains("fixcast_\(name)")) }
  }

  @Test func `the time of the last fix keeps the receiver's stable name after the receiver is unplugged`() {
    var fixture = Self.fixture()
    let fix = Fix.at(54, 10, time: .noon) { ($0.source, $0.receivedAt) = ("/dev/ttyACM0", fixture.now) }
    fixture.handle(.published(.fix(fix)))
    let line = "\nfixcast_fix_timestamp_seconds{receiver=\"usb-u-blox\"} 1795262400\n"
    #expect(Self.metrics(&fixture).contains(line))
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0")
    fixture.handle(.published(.lost(loss, source: "serial")))
    let text = Self.metrics(&fixture)
    #expect(text.contains(line) && text.contains("\nfixcast_receiver_connected 0\n"), "\(text)")
    // Another receiver at the same path has no stable name.
    fixture.handle(.published(.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true), at: nil)))
    fixture.handle(.published(.fix(fix)))
    #expect(Self.metrics(&fixture).contains(#"timestamp_seconds{receiver="/dev/ttyACM0"}"#))
  }

  @Test func `without a receiver, the metric is 0 instead of absent`() {
    var fixture = ServerCoreFixture(initial: Authorization(.authorizedAlways))
    let text = Self.metrics(&fixture)
    #expect(text.contains("\nfixcast_receiver_connected 0\n"))
    #expect(!text.contains("fixcast_fix"))
  }

  @Test func `the metrics contain the position only with the setting and full accuracy`() {
    var fixture = Self.fixture()
    fixture.metrics.includesPosition = true
    let text = Self.metrics(&fixture)
    #expect(text.contains("fixcast_position_latitude_degrees{receiver=\"usb-u-blox\"} 54.09"))
    #expect(text.contains("fixcast_position_longitude_degrees{receiver=\"usb-u-blox\"} 10.82"))
    fixture = Self.fixture(Self.reduced)
    fixture.metrics.includesPosition = true
    #expect(!Self.metrics(&fixture).contains("degrees"))
  }

  @Test func `metrics with the position are recorded as a use`() {
    var fixture = Self.fixture()
    fixture.metrics.includesPosition = true
    _ = Self.metrics(&fixture)
    #expect(fixture.actions.contains { if case .note(_, .started(.oneShot)) = $0 { true } else { false } })
  }

  @Test(arguments: [Authorization(.denied), Authorization(.notDetermined), reduced])
  func `a client without full accuracy gets the public metrics and the command that allows more`(initial: Authorization)
  {
    var fixture = Self.fixture(initial)
    let text = Self.metrics(&fixture)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("everybody 1\n"), "\(text)")
    #expect(!text.contains("full 1") && !text.contains("fixcast_"))
    #expect(text.contains("# Note: clients without full accuracy get only these metrics"))
    #expect(text.contains("fixcast auth allow") == (initial != Self.reduced))
    #expect(fixture.asked.isEmpty)
  }

  @Test func `root in a login gets all metrics, but a service of root only with full accuracy`() {
    for (unit, status) in [
      (nil, .authorizedAlways), ("a.service", .authorizedAlways), ("a.service", .denied),
      ("a.service", .notDetermined),
    ] as [(String?, AuthorizationStatus)] {
      var fixture = Self.fixture(Authorization(status))
      fixture.metrics.includesPosition = true
      let id = fixture.request(Self.request, user: 0, unit: unit)
      let text = fixture.text(id)
      let isAuthorized = status == .authorizedAlways
      #expect(text.contains("full 1\n") == isAuthorized, "\(text)")
      #expect(text.contains("fixcast_fix_mode") == isAuthorized, "\(text)")
      #expect(text.contains("degrees") == isAuthorized, "\(text)")
    }
  }

  @Test func `root in a login whose access was denied gets all metrics but no position`() {
    var fixture = Self.fixture(Authorization(.denied))
    fixture.metrics.includesPosition = true
    fixture.request(DaemonRequest(.events), user: 0)
    fixture.decide(Authorization(.denied))
    let id = fixture.request(Self.request, user: 0)
    let text = fixture.text(id)
    #expect(text.contains("full 1\n") && text.contains("fixcast_fix_mode"), "\(text)")
    #expect(!text.contains("degrees"), "\(text)")
  }

  @Test func `a rule that needs no operator is applied before the metrics are read`() throws {
    var fixture = Self.fixture(Authorization(.notDetermined))
    fixture.operatorRequests = []
    let id = fixture.request(Self.request)
    #expect(fixture.sent[id] == nil)
    let asked = try #require(fixture.asked.first)
    let authorization = Authorization(.authorizedAlways)
    fixture.handle(.answered(asked.key, asked.number, .decided(authorization)))
    #expect(fixture.text(id).contains("full 1\n"), "\(fixture.text(id))")
    // If the policy does not answer, the client gets the public metrics.
    fixture = Self.fixture(Authorization(.notDetermined))
    fixture.operatorRequests = []
    let late = fixture.request(Self.request)
    fixture.advance(seconds: 6)
    #expect(fixture.text(late).contains("everybody 1\n"), "\(fixture.text(late))")
  }

  @Test func `/metrics accepts only GET`() throws {
    #expect(throws: DaemonFault.method("GET")) {
      try DaemonRequest(method: "POST", target: "/metrics")
    }
    #expect(try DaemonRequest(method: "GET", target: "/metrics?a=b").subject == .metrics)
    #expect(Self.request.target == "/metrics")
  }
}
