// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Receivers

/// Classification of devices and the resulting events.
@Suite struct DiscoveryMachineTests {
  private func machine(
    _ policy: DiscoveryPolicy = DiscoveryPolicy(), waitsForRules: Bool = true
  ) -> DiscoveryMachine {
    DiscoveryMachine(policy: policy, waitsForRules: waitsForRules)
  }

  /// Returns short descriptions of events.
  private func texts(_ events: [DiscoveryEvent]) -> [String] {
    events.map { event in
      switch event {
      case .found(let receiver): "found \(receiver.name) \(receiver.role)"
      case .candidate(let receiver): "candidate \(receiver.name)"
      case .ignored(let receiver, let reason): "ignored \(receiver.devnode): \(reason)"
      case .gone(let receiver): "gone \(receiver.name)"
      case .settled: "settled"
      case .unavailable: "unavailable"
      }
    }
  }

  @Test func `a known receiver is used at once and named after its by-id link`() {
    var machine = machine()
    #expect(
      texts(machine.handle(.enumerated([.usb(.uBlox7, serial: "A1")])))
        == ["found usb-Maker_Model_A1-if00 receiver", "settled"])
  }

  @Test func `a converter is a candidate, with the option that gives consent`() throws {
    var machine = machine()
    let events = machine.handle(.present(.usb(.pl2303, devnode: "/dev/ttyUSB0")))
    #expect(texts(events) == ["candidate usb-Maker_Model-if00"])
    let receiver = try #require(events.first?.receiver)
    #expect(receiver.requiresValidation)
    #expect(receiver.consent(among: []) == "--source serial:/dev/serial/by-id/usb-Maker_Model-if00")
  }

  @Test(arguments: [
    DiscoveryPolicy(named: ["/dev/ttyUSB0"]),
    DiscoveryPolicy(named: ["/dev/serial/by-id/usb-Maker_Model-if00"]),
    DiscoveryPolicy(named: ["usb-Maker_Model-if00"]),
    DiscoveryPolicy(opensCandidates: true),
  ])
  func `a converter is used if the policy names it or allows all candidates`(policy: DiscoveryPolicy) throws {
    var machine = machine(policy)
    let events = machine.handle(.present(.usb(.pl2303, devnode: "/dev/ttyUSB0")))
    #expect(texts(events) == ["found usb-Maker_Model-if00 converter"])
    #expect(try #require(events.first?.receiver).requiresValidation)
  }

  @Test func `a modem port is used only if ModemManager marks it as GPS port`() throws {
    var machine = machine()
    var port = UDevDevice.usb(.quectel, devnode: "/dev/ttyUSB1", interface: 1)
    #expect(
      texts(machine.handle(.present(port)))
        == ["ignored /dev/ttyUSB1: \(IgnoredReason.modem)"])
    port.isModemPositionPort = true
    let events = machine.handle(.present(port))
    #expect(texts(events) == ["found usb-Maker_Model-if01 modemPort"])
    #expect(try #require(events.first?.receiver).requiresValidation == false)
  }

  @Test func `a UART is used only if it is named by devnode or link`() {
    let uart = UDevDevice.uart(links: ["/dev/serial0"])
    var without = machine()
    #expect(
      texts(without.handle(.present(uart)))
        == ["ignored /dev/ttyAMA0: \(IgnoredReason.namedOnly)"])
    var with = machine(DiscoveryPolicy(named: ["/dev/serial0"]))
    #expect(texts(with.handle(.present(uart))) == ["found /dev/ttyAMA0 uart"])
  }

  @Test func `consoles and UARTs without hardware are not reported`() {
    var machine = machine()
    let console = UDevDevice(devnode: "/dev/tty1", syspath: "/sys/devices/virtual/tty/tty1")
    var ghost = UDevDevice.uart("/dev/ttyS9")
    ghost.hasUART = false
    #expect(machine.handle(.enumerated([console, ghost])) == [.settled])
    #expect(machine.handle(.absent(syspath: console.syspath)) == [])
  }

  @Test func `a receiver keeps its name when it returns with another devnode and port`() {
    var machine = machine()
    let before = UDevDevice.usb(.uBlox7)
    let after = UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM3", port: "1-4")
    #expect(
      texts(
        machine.handle(.present(before)) + machine.handle(.absent(syspath: before.syspath))
          + machine.handle(.present(after))) == [
          "found usb-Maker_Model-if00 receiver", "gone usb-Maker_Model-if00",
          "found usb-Maker_Model-if00 receiver",
        ])
  }

  @Test func `a device that is in the list and in an event of udev is reported once`() {
    var machine = machine()
    let device = UDevDevice.usb(.uBlox7)
    #expect(machine.handle(.enumerated([device])).count == 2)
    #expect(machine.handle(.present(device)) == [])
    var changed = device
    changed.links.append("/dev/gps0")
    #expect(machine.handle(.present(changed)) == [])
    #expect(machine.handle(.enumerated([changed])) == [])
    #expect(machine.handle(.absent(syspath: device.syspath)).count == 1)
    #expect(machine.handle(.absent(syspath: device.syspath)) == [])
  }

  @Test func `a second enumeration reports the additions and removals since the first enumeration`() {
    var machine = machine()
    let (first, second) = (
      UDevDevice.usb(.uBlox7, serial: "A"),
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", port: "1-3", serial: "B")
    )
    _ = machine.handle(.enumerated([first]))
    #expect(
      texts(machine.handle(.enumerated([second])))
        == ["gone usb-Maker_Model_A-if00", "found usb-Maker_Model_B-if00 receiver"])
  }

  @Test func `a device is ignored until udev has run its rules, unless there is no udev`() {
    var device = UDevDevice.usb(.uBlox7)
    device.isInitialized = false
    var waiting = machine()
    #expect(
      texts(waiting.handle(.present(device)))
        == ["ignored /dev/ttyACM0: \(IgnoredReason.uninitialized)"])
    device.isInitialized = true
    #expect(texts(waiting.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
    device.isInitialized = false
    var alone = machine(waitsForRules: false)
    #expect(texts(alone.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
  }

  @Test func `only the first port of a receiver with two ports is used, in any order of the list`() {
    let ports = [
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", interface: 2),
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM0", interface: 0),
    ]
    var machine = machine()
    #expect(
      texts(machine.handle(.enumerated(ports))) == [
        "found usb-Maker_Model-if00 receiver",
        "ignored /dev/ttyACM1: second port of usb-Maker_Model-if00", "settled",
      ])
    // When the receiver is unplugged, the second port does not replace the first.
    #expect(texts(machine.handle(.absent(syspath: ports[1].syspath))).count == 1)
    #expect(texts(machine.handle(.absent(syspath: ports[0].syspath))).count == 1)
    // After replugging, the first port is used.
    #expect(texts(machine.handle(.present(ports[1]))) == ["found usb-Maker_Model-if00 receiver"])
  }

  @Test func `a restarted discovery uses the same port of a receiver as before, even the second port`() {
    let ports = [
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM0", interface: 0),
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", interface: 2),
    ]
    var present = PresentReceivers()
    var before = machine()
    for port in ports.reversed() {
      for event in before.handle(.present(port)) { _ = present.take(event) }
    }
    var policy = DiscoveryPolicy()
    policy.portsInUse = present.portsInUse
    #expect(Array(policy.portsInUse.values) == [ports[1].syspath])
    var after = machine(policy)
    #expect(
      texts(after.handle(.enumerated(ports))) == [
        "found usb-Maker_Model-if02 receiver",
        "ignored /dev/ttyACM0: second port of usb-Maker_Model-if02", "settled",
      ])
    var without = machine(policy)
    #expect(
      texts(without.handle(.enumerated([ports[0]])))
        == ["found usb-Maker_Model-if00 receiver", "settled"])
  }

  @Test func `the policy can exclude a receiver by devnode or stable name`() {
    for name in ["/dev/ttyACM0", "usb-Maker_Model-if00"] {
      var machine = machine(DiscoveryPolicy(named: [name], excluded: [name]))
      #expect(
        texts(machine.handle(.present(.usb(.uBlox7))))
          == ["ignored /dev/ttyACM0: \(IgnoredReason.excluded)"])
    }
  }

  @Test func `an unknown device is ignored unless a local udev rule classifies it`() {
    var machine = machine()
    var device = UDevDevice.usb(.keyboard)
    #expect(
      texts(machine.handle(.present(device)))
        == ["ignored /dev/ttyACM0: \(IgnoredReason.unknown)"])
    device.claim = "receiver"
    #expect(texts(machine.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
    device.claim = "candidate"
    #expect(
      texts(machine.handle(.present(device)))
        == ["gone usb-Maker_Model-if00", "candidate usb-Maker_Model-if00"])
  }

  @Test func `in any order of events, found and gone alternate for each device, and names are unique`() {
    var generator = SeededGenerator(seed: 3)
    let ids: [USBID] = [.uBlox7, .pl2303, .quectel, .keyboard]
    for _ in 0..<200 {
      var machine = machine(DiscoveryPolicy(opensCandidates: .random(using: &generator)))
      var live: [String: String] = [:]
      var plugged: Set<String> = []
      for _ in 0..<60 {
        let number = Int.random(in: 0..<4, using: &generator)
        var device = UDevDevice.usb(
          ids.randomElement(using: &generator) ?? .uBlox7, devnode: "/dev/ttyACM\(number)",
          port: "1-\(Int.random(in: 1..<4, using: &generator))",
          interface: UInt8.random(in: 0..<2, using: &generator),
          hasLinks: .random(using: &generator))
        device.isInitialized = Int.random(in: 0..<8, using: &generator) > 0
        let input: DiscoveryMachine.Input
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
          input = .enumerated([device])
          plugged = [device.syspath]
        case 1...4:
          input = .present(device)
          plugged.insert(device.syspath)
        default:
          input = .absent(syspath: device.syspath)
          plugged.remove(device.syspath)
        }
        for event in machine.handle(input) {
          switch event {
          case .found(let receiver), .candidate(let receiver):
            #expect(live[receiver.device.syspath] == nil)
            #expect(!live.values.contains(receiver.name))
            live[receiver.device.syspath] = receiver.name
          case .gone(let receiver):
            if let name = live.removeValue(forKey: receiver.device.syspath) {
              #expect(name == receiver.name)
            }
          case .ignored(let receiver, _): #expect(live[receiver.device.syspath] == nil)
          case .settled, .unavailable: break
          }
        }
        #expect(Set(live.keys).isSubset(of: plugged))
      }
    }
  }
}
