// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import Receivers

/// The real libudev of the machine that runs the tests, whatever it has.
@Suite(.timeLimit(.minutes(5))) struct UDevReceiversTests {
  static let hasUDev = access("/run/udev/control", F_OK) == 0

  @Test("tells what is there, then says so where no more will come, and ends when cancelled")
  func runs() async {
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

  @Test("ends at once where it is cancelled before it begins")
  func endsEarly() async {
    let recorder = EventRecorder<DiscoveryEvent>()
    let running = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await UDevReceivers().run { recorder.record($0) }
    }
    await running.value
    #expect(recorder.events == [])
  }

  @Test("starts and ends again and again without keeping a descriptor")
  func keepsNothing() async throws {
    func descriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }
    let before = descriptors()
    for _ in 0..<100 { _ = UDevReceivers().present() }
    #expect(before > 0)
    // A hundred leaks would show above whatever the other tests have open.
    #expect(descriptors() < before + 50)
  }

  @Test("says in words why nothing will be noticed, and what to do")
  func explains() {
    #expect(UDevUnavailable.notRunning.description.contains("name the devnode"))
    #expect(UDevUnavailable.failed(errorNumber: EMFILE).description.contains("Too many open"))
  }
}
