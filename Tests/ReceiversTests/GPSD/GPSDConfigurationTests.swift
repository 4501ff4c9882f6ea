// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers

/// Parsing of `/etc/default/gpsd`.
@Suite struct GPSDConfigurationTests {
  private static let debian = """
    # Devices gpsd should collect to at boot time.
    DEVICES=""

    # Other options you want to pass to gpsd
    GPSD_OPTIONS=""

    # Automatically hot add/remove USB GPS devices via gpsdctl
    USBAUTO="true"
    """

  @Test(
    arguments: [
      (debian, [], true),
      ("DEVICES=/dev/ttyS0\nUSBAUTO=false", ["/dev/ttyS0"], false),
      ("DEVICES=\"/dev/ttyS0 /dev/pps0\"\n", ["/dev/ttyS0", "/dev/pps0"], false),
      ("DEVICES='/dev/serial0'   # the hat\nUSBAUTO='true'", ["/dev/serial0"], true),
      ("DEVICES=/dev/ttyS0 # the hat\r\nUSBAUTO=true # yes", ["/dev/ttyS0"], true),
      ("#DEVICES=/dev/ttyS0\n  # USBAUTO=true", [], false),
      ("DEVICES=/dev/a\nDEVICES=/dev/b", ["/dev/b"], false),
      ("export DEVICES=/dev/a", ["/dev/a"], false),
      ("GPSD_OPTIONS=\"-n -F /run/x.sock /dev/ttyAMA0\"", ["/dev/ttyAMA0"], false),
      ("START_DAEMON=\"true\"\nnonsense\n=x\nDEVICES", [], false),
      ("DEVICES=\"/dev/unclosed", ["/dev/unclosed"], false),
      ("", [], false),
    ] as [(String, [String], Bool)])
  func `gpsd's configuration is parsed in the syntax of a shell and of systemd`(
    text: String, devices: [String], autodetects: Bool
  ) {
    let configuration = GPSDConfiguration(text)
    #expect(configuration.devices == Set(devices))
    #expect(configuration.autodetects == autodetects)
  }

  @Test func `gpsd claims devices listed by devnode or link, and USB receivers with USBAUTO`() {
    let bare = DiscoveredReceiver.plugged("ublox")
    var device = bare.device
    device.links.append("/dev/gps0")
    let ublox = DiscoveredReceiver(
      name: "ublox", role: .receiver, model: bare.model, device: device)
    var converter = DiscoveredReceiver.plugged("pl", role: .converter)
    let uart = DiscoveredReceiver(
      name: "/dev/ttyAMA0", role: .uart, model: nil,
      device: .uart(links: ["/dev/serial0"]))
    #expect(GPSDConfiguration("DEVICES=/dev/serial0").claims(uart))
    #expect(!GPSDConfiguration("DEVICES=/dev/serial1").claims(uart))
    #expect(GPSDConfiguration("DEVICES=/dev/serial/by-id/ublox").claims(ublox))
    #expect(!GPSDConfiguration("USBAUTO=false").claims(ublox))
    let automatic = GPSDConfiguration("USBAUTO=true")
    #expect(automatic.claims(ublox))
    #expect(!automatic.claims(uart))
    #expect(!automatic.claims(converter))
    device = converter.device
    device.links = ["/dev/gpsfoo", "/dev/gps0"]
    converter = DiscoveredReceiver(name: "pl", role: .converter, model: nil, device: device)
    #expect(automatic.claims(converter), "gpsd's rules created gps0 for the converter")
  }

  @Test func `gpsd does not claim a USB receiver that gpsd's udev rules have not added`() throws {
    let automatic = GPSDConfiguration("USBAUTO=true")
    // A converter that a local udev rule marks as a receiver.
    let marked = DiscoveredReceiver.plugged("mine", role: .receiver)
    #expect(!automatic.claims(marked))
    let model = try #require(ReceiverCatalog.models.first { $0.kind == .specific })
    let converter = try #require(ReceiverCatalog.models.first { $0.kind == .candidate })
    for (model, isInitialized, isClaimed) in [
      (model, true, false), (model, false, true), (converter, false, false),
    ] {
      var device = marked.device
      device.isInitialized = isInitialized
      let receiver = DiscoveredReceiver(
        name: "mine", role: .receiver, model: model, device: device)
      #expect(automatic.claims(receiver) == isClaimed, "\(model.name)")
    }
  }

  @Test func `gpsd's configuration is empty without the file or without an installed gpsd`() throws {
    #expect(GPSDConfiguration.installed(path: "/nowhere", program: "/bin/sh") == .init())
    let file = try TemporaryFile(Array("USBAUTO=true\n".utf8))
    #expect(GPSDConfiguration.installed(path: file.path, program: "/bin/sh").autodetects)
    #expect(GPSDConfiguration.installed(path: file.path, program: "/nowhere") == .init())
  }
}
