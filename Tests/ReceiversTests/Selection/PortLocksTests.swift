// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers

/// Which run may open a port.
@Suite struct PortLocksTests {
  private var turns = PortLocks()

  @Test("a port is one, by whatever name it is asked for")
  mutating func sharesNothing() {
    let first = turns.take("/dev/ttyACM0", for: 1, named: "/dev/serial/by-id/x") { _ in false }
    #expect(first == .free)
    let second = turns.take("/dev/ttyACM0", for: 2, named: "/dev/ttyACM0") { _ in false }
    #expect(second == .taken(name: "/dev/serial/by-id/x"))
    let other = turns.take("/dev/ttyACM1", for: 3, named: "/dev/ttyACM1") { _ in false }
    #expect(other == .free)
    // One that was refused has nothing to release.
    turns.release(2)
    let third = turns.take("/dev/ttyACM0", for: 4, named: "/dev/ttyACM0") { _ in false }
    #expect(third == .taken(name: "/dev/serial/by-id/x"))
  }

  @Test("the next run waits for the one before, and that for the one before it")
  mutating func queues() {
    #expect(turns.take("/dev/a", for: 1, named: "a") { _ in false } == .free)
    #expect(turns.take("/dev/a", for: 2, named: "a") { $0 == 1 } == .after(run: 1))
    #expect(turns.take("/dev/a", for: 3, named: "a") { $0 == 2 } == .after(run: 2))
    turns.release(1)
    turns.release(2)
    #expect(turns.take("/dev/a", for: 4, named: "a") { $0 == 3 } == .after(run: 3))
    turns.release(4)
    #expect(turns.take("/dev/a", for: 5, named: "a") { _ in false } == .free)
  }
}
