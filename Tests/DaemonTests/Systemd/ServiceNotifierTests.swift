// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport
import Testing

@testable import Daemon

@Suite("Notifications to the service manager")
struct ServiceNotifierTests {
  @Test func `multiple service states are sent in one message`() throws {
    let folder = try ScratchFolder()
    let manager = DatagramReceiver(at: folder.path + "/notify")
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.path].value)
    try notifier.notify(.ready, .status("1 receiver"), .watchdog, .stopping)
    #expect(manager.nextText() == "READY=1\nSTATUS=1 receiver\nWATCHDOG=1\nSTOPPING=1")
    #expect(manager.next() == nil)
  }

  @Test func `a service status with line ends cannot inject another assignment into the notification`() {
    #expect(
      ServiceState.status("a\nREADY=1\r\nb\u{2028}c\0d").assignment == "STATUS=a READY=1 b c d")
  }

  @Test(arguments: [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "vsock:2:1234"]])
  func `without a service manager, notifying does nothing and does not throw`(environment: [String: String]) throws {
    let notifier = ServiceNotifier(environment: environment.value)
    #expect(!notifier.isNotifying)
    try notifier.notify(.ready)
  }

  @Test func `a notification to a missing socket throws an error with path, system call and reason`() throws {
    let folder = try ScratchFolder()
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path + "/none"].value)
    #expect {
      try notifier.notify(.ready)
    } throws: {
      "\($0)" == "\(folder.path)/none: sendto: No such file or directory"
    }
  }

  @Test(arguments: [108, 4096])
  func `a notification to a socket path that is too long throws an error`(length: Int) {
    let path = "/" + String(repeating: "a", count: length)
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": path].value)
    #expect(throws: DatagramError(call: "connect", number: 36, address: path)) {
      try notifier.notify(.ready)
    }
  }

  @Test(arguments: [
    (["WATCHDOG_USEC": "2000000"], Duration.seconds(2)),
    (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "7"], .seconds(2)),
    (["WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "8"], nil),
    (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-5"], nil),
    (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
  ])
  func `the watchdog interval is read from the environment if it applies to this process`(
    environment: [String: String], interval: Duration?
  ) {
    let notifier = ServiceNotifier(environment: environment.value, processID: 7)
    #expect(notifier.watchdogInterval == interval)
  }
}

extension [String: String] {
  /// Looks up a variable, with the signature that the notifier expects.
  func value(_ name: String) -> String? { self[name] }
}
