// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers

/// Exclusive assignment of ports to runs.
@Suite struct PortLocksTests {
  private var locks = PortLocks()

  @Test mutating func `a port cannot be acquired twice under different names`() {
    let first = locks.acquire("/dev/ttyACM0", for: 1, named: "/dev/serial/by-id/x") { _ in false }
    #expect(first == .free)
    let second = locks.acquire("/dev/ttyACM0", for: 2, named: "/dev/ttyACM0") { _ in false }
    #expect(second == .taken(name: "/dev/serial/by-id/x"))
    let other = locks.acquire("/dev/ttyACM1", for: 3, named: "/dev/ttyACM1") { _ in false }
    #expect(other == .free)
    // Releasing a refused run does not release the port.
    locks.release(2)
    let third = locks.acquire("/dev/ttyACM0", for: 4, named: "/dev/ttyACM0") { _ in false }
    #expect(third == .taken(name: "/dev/serial/by-id/x"))
  }

  @Test mutating func `a run waits for the previous run of its port, which may itself be waiting`() {
    #expect(locks.acquire("/dev/a", for: 1, named: "a") { _ in false } == .free)
    #expect(locks.acquire("/dev/a", for: 2, named: "a") { $0 == 1 } == .after(run: 1))
    #expect(locks.acquire("/dev/a", for: 3, named: "a") { $0 == 2 } == .after(run: 2))
    locks.release(1)
    locks.release(2)
    #expect(locks.acquire("/dev/a", for: 4, named: "a") { $0 == 3 } == .after(run: 3))
    locks.release(4)
    #expect(locks.acquire("/dev/a", for: 5, named: "a") { _ in false } == .free)
  }
}
