// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Feeds udev's events into a ``DiscoveryMachine`` and delivers the results; blocks its thread.
struct UDevLoop {
  let policy: DiscoveryPolicy
  let wake: WakeUp
  let liveness: ThreadLiveness
  let deliver: @Sendable (DiscoveryEvent) -> Void

  /// The number of consecutive losses after which the socket counts as broken.
  private static let maxLosses = 16

  /// Delivers the present devices.
  static func enumerateOnce(policy: DiscoveryPolicy, deliver: (DiscoveryEvent) -> Void) {
    do throws(SystemCallFailure) {
      let udev = try LibUDev()
      var machine = DiscoveryMachine(policy: policy, waitsForRules: udev.isManaged)
      for event in machine.handle(.enumerated(try udev.enumerate())) { deliver(event) }
    } catch {
      deliver(.unavailable(.failed(errorNumber: error.number)))
    }
  }

  /// Delivers the present devices, then their changes, until `wake` is signalled.
  func run() {
    do throws(SystemCallFailure) {
      try follow(LibUDev())
    } catch {
      deliver(.unavailable(.failed(errorNumber: error.number)))
      waitUntilWoken()
    }
  }

  private func follow(_ udev: consuming LibUDev) throws(SystemCallFailure) {
    var machine = DiscoveryMachine(policy: policy, waitsForRules: udev.isManaged)
    let present = machine.handle(.enumerated(try udev.enumerate()))
    guard let descriptor = udev.descriptor else {
      // `settled` is omitted, since it promises that later changes are delivered.
      for event in present where event != .settled { deliver(event) }
      deliver(.unavailable(.notRunning))
      return waitUntilWoken()
    }
    for event in present { deliver(event) }
    var losses = 0
    while try waitForEvent(descriptor) {
      switch udev.receive() {
      case .input(let input):
        losses = 0
        for event in machine.handle(input) { deliver(event) }
      case .nothing: break
      case .lost(let number):
        losses += 1
        guard losses <= Self.maxLosses else {
          throw SystemCallFailure(call: "udev_monitor_receive_device", number: number)
        }
        for event in machine.handle(.enumerated(try udev.enumerate())) { deliver(event) }
      }
    }
  }

  /// Waits for an event; returns false when `wake` is signalled.
  private func waitForEvent(_ descriptor: Int32) throws(SystemCallFailure) -> Bool {
    var descriptors = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    liveness.beginWaiting()
    defer { liveness.beginWorking() }
    try SystemCall.run("poll") { poll(&descriptors, nfds_t(descriptors.count), -1) }
    if descriptors[0].revents != 0 { return false }
    if descriptors[1].revents & Int16(POLLHUP | POLLNVAL) != 0 {
      throw SystemCallFailure(call: "poll", number: EIO)
    }
    return true
  }

  private func waitUntilWoken() {
    liveness.beginWaiting()
    var descriptor = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
    _ = try? SystemCall.run("poll") { poll(&descriptor, 1, -1) }
  }
}
