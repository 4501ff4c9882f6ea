// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import Testing

@testable import FixcastConfiguration

@Suite("Servers for programs that use gpsd, NMEA 0183 or metrics") struct FeedServerSettingsTests {
  private func read(_ text: String) -> Result<DaemonConfiguration, SettingsErrors> {
    TestCatalog.read(text)
  }

  @Test func `the gpsd server is on by default, the NMEA server and the port for metrics are off`() throws {
    let configuration = try read("").get()
    #expect(configuration.gpsdServer.isEnabled)
    #expect(
      configuration.gpsdServer.addresses.map { "\($0)" } == ["127.0.0.1:2947", "[::1]:2947"])
    #expect(configuration.gpsdServer.socketPath == nil)
    #expect(!configuration.nmeaServer.isEnabled)
    #expect(configuration.nmeaServer.addresses.map { "\($0)" } == ["127.0.0.1:10110"])
    #expect(configuration.nmeaServer.socketPath == "/run/fixcast/nmea.sock")
    #expect(configuration.metrics.server.addresses.isEmpty && !configuration.metrics.includesPosition)
  }

  @Test(arguments: [
    ("0.0.0.0:2947", "loopback"), ("192.168.1.2:2947", "loopback"), ("[::]:2947", "loopback"),
    ("localhost:2947", "not an address"), ("127.0.0.1", "not an address"),
  ])
  func `an address that is not a loopback address with a port is rejected with the reason`(
    address: String, reason: String
  ) {
    for section in ["gpsd_server", "nmea_server", "metrics"] {
      guard case .failure(let errors) = read("[\(section)]\nlisten = [\"\(address)\"]\n") else {
        Issue.record("\(address) is accepted")
        continue
      }
      #expect(errors.description.contains("\(section).listen"), "\(errors)")
      #expect(errors.description.contains(reason) && errors.description.contains(address))
    }
  }

  @Test func `a changed server is a change of the configuration that needs no restart`() throws {
    let change = ConfigurationChange(
      from: try read("").get(), to: try read("[nmea_server]\nenabled = true\n").get())
    #expect(change.servers == ["nmea_server"])
    #expect(!change.isEmpty && change.needsRestart.isEmpty)
  }

  @Test func `the metrics have addresses and a switch for the position, and need no restart`() throws {
    let text = "[metrics]\nlisten = [\"127.0.0.1:9477\", \"[::1]:9477\"]\nposition = true\n"
    let configuration = try read(text).get()
    #expect(configuration.metrics.server.addresses.map { "\($0)" } == ["127.0.0.1:9477", "[::1]:9477"])
    #expect(configuration.metrics.includesPosition)
    let change = ConfigurationChange(from: try read("").get(), to: configuration)
    #expect(change.servers == ["metrics"] && change.needsRestart.isEmpty)
  }
}
