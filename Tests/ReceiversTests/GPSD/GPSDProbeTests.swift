// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// Probes of gpsd's port, on ports that the tests open.
@Suite(.timeLimit(.minutes(5))) struct GPSDProbeTests {
  @Test(arguments: [Loopback.ipv4, .ipv6])
  func `a probe recognizes gpsd on both loopback addresses and returns its devices`(
    loopback: Loopback
  ) async throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.devices =
      #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/gps0","activated":0}]}"#
    let gpsd = try ScriptedGPSD(on: loopback, automaticReplies: automaticReplies)
    defer { gpsd.stop() }
    let presence = GPSDProbe(port: gpsd.port).presence()
    #expect(presence == .gpsd(release: "3.22", devices: ["/dev/gps0"]))
    // Only ?DEVICES is sent: a ?WATCH would make gpsd open its receivers.
    #expect(await gpsd.requests.wait(for: 1) == ["?DEVICES"])
    var device = UDevDevice(devnode: "/dev/ttyACM0", syspath: "/sys/a")
    let receiver = DiscoveredReceiver(name: "a", role: .receiver, model: nil, device: device)
    #expect(!presence.has(receiver) && presence.lacks(receiver))
    #expect(!GPSDPresence.absent.lacks(receiver))
    #expect(!GPSDPresence.gpsd(release: "3.22", devices: nil).lacks(receiver))
    let many = GPSDPresence.gpsd(
      release: "3.22", devices: ["/dev/a", "/dev/b", "/dev/c", "/dev/d"])
    #expect(!many.lacks(receiver), "libgps truncates the list at four devices")
    device.links = ["/dev/gps0"]
    #expect(presence.has(.init(name: "a", role: .receiver, model: nil, device: device)))
  }

  @Test func `a gpsd that sends no device list is still recognized`() throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.devices = nil
    let gpsd = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { gpsd.stop() }
    #expect(GPSDProbe(port: gpsd.port).presence() == .gpsd(release: "3.22", devices: nil))
  }

  @Test func `a probe of a closed port reports gpsd as absent`() throws {
    let port = try ReservedPort()
    defer { port.release() }
    // A probe that timed out would return `acceptsNoConnection`.
    #expect(GPSDProbe(port: port.number).presence() == .absent)
  }

  @Test func `a probe of a port with a full queue times out after a second`() throws {
    let listener = try FullListener()
    defer { listener.close() }
    let began = MonotonicTime.now()
    // Without the timeout the kernel would wait for minutes.
    #expect(GPSDProbe(port: listener.port).presence() == .other(.acceptsNoConnection))
    let seconds = MonotonicTime.now().seconds(since: began)
    #expect(seconds >= 1, "\(seconds)")
  }

  @Test(
    arguments: [
      ("SSH-2.0-OpenSSH_9.2p1", .says(#""SSH-2.0-OpenSSH_9.2p1""#)),
      (nil, .sendsNothing),
      (
        #"{"class":"VERSION","release":"5.0","rev":"5.0","proto_major":4,"proto_minor":0}"#,
        .speaksProtocol(4, release: "5.0")
      ),
      (
        #"{"class":"VERSION","release":"3.22","rev":"fixcast 1","proto_major":3,"proto_minor":14}"#,
        .isFixcast
      ),
    ] as [(String?, GPSDPresence.Behavior)])
  func `a probe describes the behavior of a server other than gpsd`(
    greeting: String?, behavior: GPSDPresence.Behavior
  ) async throws {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = greeting
    let server = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { server.stop() }
    #expect(GPSDProbe(port: server.port).presence() == .other(behavior))
    let requests = greeting == nil ? await server.requests.wait(for: 1) : server.requests.events
    #expect(requests == (greeting == nil ? ["?VERSION"] : []))
  }

  @Test(.enabled(if: RealGPSDTests.isInstalled, "needs gpsd: make test"))
  func `a probe of the real gpsd returns a device that gpsd does not open`() async throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let port = try ReservedPort()
    defer { port.release() }
    try await GPSDaemon.serve(
      devnode: terminal.devnode, port: port.number, options: ["-b", "-D", "3"]
    ) { daemon in
      await daemon.lines.wait { lines in lines.contains { $0.contains("listening on port") } }
      let presence = GPSDProbe(port: port.number).presence()
      guard case .gpsd(let release, let devices) = presence else {
        throw ExpectationError("\(presence)")
      }
      #expect(release.hasPrefix("3."))
      #expect(devices == [terminal.devnode])
      let holders = PortHolders(of: [terminal.devnode]).holders(of: terminal.devnode)
      #expect(!holders.contains { $0.program == "gpsd" })
    }
  }
}
