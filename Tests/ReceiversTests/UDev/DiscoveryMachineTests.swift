// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Receivers

/// Which devices are used, offered, left alone, and said to be gone.
@Suite struct DiscoveryMachineTests {
  private func machine(
    _ policy: DiscoveryPolicy = DiscoveryPolicy(), waitsForRules: Bool = true
  ) -> DiscoveryMachine {
    DiscoveryMachine(policy: policy, waitsForRules: waitsForRules)
  }

  /// What an event is, in a word and a name.
  private func words(_ events: [DiscoveryEvent]) -> [String] {
    events.map { event in
      switch event {
      case .found(let receiver): "found \(receiver.name) \(receiver.role)"
      case .candidate(let receiver): "candidate \(receiver.name)"
      case .ignored(let receiver, let why): "ignored \(receiver.devnode): \(why)"
      case .gone(let receiver): "gone \(receiver.name)"
      case .settled: "settled"
      case .unavailable: "unavailable"
      }
    }
  }

  @Test("uses a known receiver at once, and names it after its by-id link")
  func usesKnownReceiver() {
    var machine = machine()
    #expect(
      words(machine.handle(.enumerated([.usb(.uBlox7, serial: "A1")])))
        == ["found usb-Maker_Model_A1-if00 receiver", "settled"])
  }

  @Test("offers a converter, says what consent looks like, and does not use it")
  func offersConverter() throws {
    var machine = machine()
    let events = machine.handle(.present(.usb(.pl2303, devnode: "/dev/ttyUSB0")))
    #expect(words(events) == ["candidate usb-Maker_Model-if00"])
    let receiver = try #require(events.first?.receiver)
    #expect(receiver.requiresValidation)
    #expect(receiver.consent == "--source serial:/dev/serial/by-id/usb-Maker_Model-if00")
  }

  @Test(
    "uses a converter that was named by any of its names, or where candidates may be listened to",
    arguments: [
      DiscoveryPolicy(named: ["/dev/ttyUSB0"]),
      DiscoveryPolicy(named: ["/dev/serial/by-id/usb-Maker_Model-if00"]),
      DiscoveryPolicy(named: ["usb-Maker_Model-if00"]),
      DiscoveryPolicy(listensToCandidates: true),
    ])
  func usesConverterWithConsent(policy: DiscoveryPolicy) throws {
    var machine = machine(policy)
    let events = machine.handle(.present(.usb(.pl2303, devnode: "/dev/ttyUSB0")))
    #expect(words(events) == ["found usb-Maker_Model-if00 converter"])
    #expect(try #require(events.first?.receiver).requiresValidation)
  }

  @Test("takes a modem's port only by ModemManager's word, and a receiver need not prove itself")
  func usesModemPort() throws {
    var machine = machine()
    var port = UDevDevice.usb(.quectel, devnode: "/dev/ttyUSB1", interface: 1)
    #expect(
      words(machine.handle(.present(port)))
        == ["ignored /dev/ttyUSB1: \(IgnoredReason.modem)"])
    port.isModemPositionPort = true
    let events = machine.handle(.present(port))
    #expect(words(events) == ["found usb-Maker_Model-if01 modemPort"])
    #expect(try #require(events.first?.receiver).requiresValidation == false)
  }

  @Test("takes a UART only where it is named, by devnode or link")
  func namesUART() {
    let uart = UDevDevice.uart(links: ["/dev/serial0"])
    var without = machine()
    #expect(
      words(without.handle(.present(uart)))
        == ["ignored /dev/ttyAMA0: \(IgnoredReason.namedOnly)"])
    var with = machine(DiscoveryPolicy(named: ["/dev/serial0"]))
    #expect(words(with.handle(.present(uart))) == ["found /dev/ttyAMA0 uart"])
  }

  @Test("says nothing of consoles and of UARTs that are only a number")
  func leavesOutWhatIsNone() {
    var machine = machine()
    let console = UDevDevice(devnode: "/dev/tty1", syspath: "/sys/devices/virtual/tty/tty1")
    var ghost = UDevDevice.uart("/dev/ttyS9")
    ghost.hasUART = false
    #expect(machine.handle(.enumerated([console, ghost])) == [.settled])
    #expect(machine.handle(.absent(syspath: console.syspath)) == [])
  }

  @Test("keeps a receiver's name when it comes back under another number and at another port")
  func keepsName() {
    var machine = machine()
    let before = UDevDevice.usb(.uBlox7)
    let after = UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM3", port: "1-4")
    #expect(
      words(
        machine.handle(.present(before)) + machine.handle(.absent(syspath: before.syspath))
          + machine.handle(.present(after))) == [
          "found usb-Maker_Model-if00 receiver", "gone usb-Maker_Model-if00",
          "found usb-Maker_Model-if00 receiver",
        ])
  }

  @Test("tells a device once, whether it was enumerated, announced or both")
  func tellsOnce() {
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

  @Test("finds out by enumerating again what was missed")
  func reconciles() {
    var machine = machine()
    let (first, second) = (
      UDevDevice.usb(.uBlox7, serial: "A"),
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", port: "1-3", serial: "B")
    )
    _ = machine.handle(.enumerated([first]))
    #expect(
      words(machine.handle(.enumerated([second])))
        == ["gone usb-Maker_Model_A-if00", "found usb-Maker_Model_B-if00 receiver"])
  }

  @Test("waits until udev has run its rules, and does not where there is no udev")
  func waitsForRules() {
    var device = UDevDevice.usb(.uBlox7)
    device.isInitialized = false
    var waiting = machine()
    #expect(
      words(waiting.handle(.present(device)))
        == ["ignored /dev/ttyACM0: \(IgnoredReason.uninitialized)"])
    device.isInitialized = true
    #expect(words(waiting.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
    device.isInitialized = false
    var alone = machine(waitsForRules: false)
    #expect(words(alone.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
  }

  @Test("takes a receiver with two ports for one, by its first port in any order of listing")
  func oneReceiverOfTwoPorts() {
    let ports = [
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM1", interface: 2),
      UDevDevice.usb(.uBlox7, devnode: "/dev/ttyACM0", interface: 0),
    ]
    var machine = machine()
    #expect(
      words(machine.handle(.enumerated(ports))) == [
        "found usb-Maker_Model-if00 receiver",
        "ignored /dev/ttyACM1: second port of usb-Maker_Model-if00", "settled",
      ])
    // Pulled out: the second port is not taken up for the moment that it outlives the first.
    #expect(words(machine.handle(.absent(syspath: ports[1].syspath))).count == 1)
    #expect(words(machine.handle(.absent(syspath: ports[0].syspath))).count == 1)
    // Plugged in again: as before.
    #expect(words(machine.handle(.present(ports[1]))) == ["found usb-Maker_Model-if00 receiver"])
  }

  @Test("begun anew it uses the port that is used already, also the second, as long as it is there")
  func keepsPortInUse() {
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
      words(after.handle(.enumerated(ports))) == [
        "found usb-Maker_Model-if02 receiver",
        "ignored /dev/ttyACM0: second port of usb-Maker_Model-if02", "settled",
      ])
    var without = machine(policy)
    #expect(
      words(without.handle(.enumerated([ports[0]])))
        == ["found usb-Maker_Model-if00 receiver", "settled"])
  }

  @Test("lets the configuration exclude what it would use")
  func excludes() {
    for name in ["/dev/ttyACM0", "usb-Maker_Model-if00"] {
      var machine = machine(DiscoveryPolicy(named: [name], excluded: [name]))
      #expect(
        words(machine.handle(.present(.usb(.uBlox7))))
          == ["ignored /dev/ttyACM0: \(IgnoredReason.excluded)"])
    }
  }

  @Test("leaves alone what it does not know, and follows a local rule that knows better")
  func unknownDevices() {
    var machine = machine()
    var device = UDevDevice.usb(.keyboard)
    #expect(
      words(machine.handle(.present(device)))
        == ["ignored /dev/ttyACM0: \(IgnoredReason.unknown)"])
    device.claim = "receiver"
    #expect(words(machine.handle(.present(device))) == ["found usb-Maker_Model-if00 receiver"])
    device.claim = "candidate"
    #expect(
      words(machine.handle(.present(device)))
        == ["gone usb-Maker_Model-if00", "candidate usb-Maker_Model-if00"])
  }

  @Test("pairs each found with a gone over any order of events, and no two have one name")
  func staysConsistent() {
    var generator = SeededGenerator(seed: 3)
    let ids: [USBID] = [.uBlox7, .pl2303, .quectel, .keyboard]
    for _ in 0..<200 {
      var machine = machine(DiscoveryPolicy(listensToCandidates: .random(using: &generator)))
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
