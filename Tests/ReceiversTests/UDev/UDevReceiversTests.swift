// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import Receivers

/// The discovery with the real libudev, for any devices that the machine has.
@Suite(.timeLimit(.minutes(5))) struct UDevReceiversTests {
  static let hasUDev = access("/run/udev/control", F_OK) == 0

  @Test func `the discovery reports the devices and then settled, or that udev is unavailable`() async {
    let recorder = EventRecorder<DiscoveryEvent>()
    let running = Task { await UDevReceivers().run { recorder.record($0) } }
    let events = await recorder.wait { events in
      Self.hasUDev ? events.contains(.settled) : events.last == .unavailable(.notRunning)
    }
    running.cancel()
    await running.value
    #expect(events.count { $0 == .settled } == (Self.hasUDev ? 1 : 0))
    #expect(events.allSatisfy { $0.receiver?.devnode.hasPrefix("/dev/") ?? true })
  }

  @Test func `a discovery that is cancelled before it starts delivers no events`() async {
    let recorder = EventRecorder<DiscoveryEvent>()
    let running = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await UDevReceivers().run { recorder.record($0) }
    }
    await running.value
    #expect(recorder.events == [])
  }

  @Test func `repeated discoveries leak no file descriptor`() async throws {
    func descriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }
    let before = descriptors()
    for _ in 0..<100 { _ = UDevReceivers().present() }
    #expect(before > 0)
    // Parallel tests open fewer than 50 descriptors; a leak would add 100.
    #expect(descriptors() < before + 50)
  }

  @Test func `the reason for an unavailable discovery contains the remedy`() {
    #expect(UDevUnavailable.notRunning.description.contains("specify the devnode"))
    #expect(UDevUnavailable.failed(errorNumber: EMFILE).description.contains("Too many open"))
  }
}
