// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Daemon

@Suite("What the service manager is told")
struct ServiceNotifierTests {
  @Test("several states go in one message")
  func oneMessage() throws {
    let folder = try ScratchFolder()
    let manager = DatagramReceiver(at: folder.path + "/notify")
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.path].value)
    try notifier.notify(.ready, .status("1 receiver"), .watchdog, .stopping)
    #expect(manager.nextText() == "READY=1\nSTATUS=1 receiver\nWATCHDOG=1\nSTOPPING=1")
    #expect(manager.next() == nil)
  }

  @Test("a status of several lines cannot smuggle in another assignment")
  func oneLineStatus() {
    #expect(
      ServiceState.status("a\nREADY=1\r\nb\u{2028}c\0d").assignment == "STATUS=a READY=1 b c d")
  }

  @Test(
    "nobody to tell is no error",
    arguments: [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "vsock:2:1234"]])
  func nobody(environment: [String: String]) throws {
    let notifier = ServiceNotifier(environment: environment.value)
    #expect(!notifier.isNotifying)
    try notifier.notify(.ready)
  }

  @Test("a manager that is gone is an error that says where and what")
  func gone() throws {
    let folder = try ScratchFolder()
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path + "/none"].value)
    #expect {
      try notifier.notify(.ready)
    } throws: {
      "\($0)" == "\(folder.path)/none: sendto: No such file or directory"
    }
  }

  @Test("an address too long for a socket is an error, not a trap", arguments: [108, 4096])
  func tooLong(length: Int) {
    let path = "/" + String(repeating: "a", count: length)
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": path].value)
    #expect(throws: DatagramError(call: "connect", number: 36, address: path)) {
      try notifier.notify(.ready)
    }
  }

  @Test(
    "the watchdog's interval is what the manager said to this process",
    arguments: [
      (["WATCHDOG_USEC": "2000000"], Duration.seconds(2)),
      (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "7"], .seconds(2)),
      (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "8"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-5"], nil),
      (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ])
  func watchdog(environment: [String: String], interval: Duration?) {
    let notifier = ServiceNotifier(environment: environment.value, processID: 7)
    #expect(notifier.watchdogInterval == interval)
  }
}

extension [String: String] {
  /// These as an environment.
  func value(_ name: String) -> String? { self[name] }
}
