// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import Plugins

@Suite("The programs that run now", .timeLimit(.minutes(1)))
struct ExecProgramsTests {
  /// A program in a session of its own, which ends by a signal alone.
  private func sleeper() throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] =
      ["sleep", "1000"].map { (word: String) in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var number = pid_t()
    let result = posix_spawnp(&number, "sleep", nil, &attributes, &arguments, nil)
    try #require(result == 0)
    return number
  }

  private func signal(thatEnded number: pid_t) -> Int32 {
    var status: Int32 = 0
    waitpid(number, &status, 0)
    return status & 0x7F
  }

  @Test("one that is just being started when all are killed is killed as well, and waited for")
  func starting() async throws {
    let programs = ExecPrograms()
    let number = try #require(programs.begin())
    let clock = LoudClock()
    let close = Task { await programs.close(clock: clock) }
    // It waits, on a clock that stands still.
    await clock.deadlines.wait(for: 1)
    let program = try sleeper()
    programs.started(number, program)
    #expect(await close.value == 1)
    #expect(signal(thatEnded: program) == SIGKILL)
    programs.remove(number)
  }

  @Test("one that cannot be started, or takes too long over it, is waited for no longer")
  func notStarted() async throws {
    let programs = ExecPrograms()
    let clock = LoudClock()
    let (failing, slow) = (try #require(programs.begin()), try #require(programs.begin()))
    let close = Task { await programs.close(clock: clock) }
    await clock.deadlines.wait { $0.contains(.seconds(1)) }
    programs.remove(failing)
    clock.base.advance(by: .seconds(1))
    #expect(await close.value == 0)
    // Whenever it comes.
    let program = try sleeper()
    programs.started(slow, program)
    #expect(signal(thatEnded: program) == SIGKILL)
  }

  @Test("after the end nothing is started, until there is a new beginning")
  func closed() async throws {
    let programs = ExecPrograms()
    #expect(await programs.close(clock: LoudClock()) == 0)
    #expect(programs.begin() == nil)
    let launcher = ProcessLauncher(programs: programs)
    let end = await launcher.run(ExecCommand(["/bin/true"]), variables: [:]) { _ in }
    #expect(end == .notStarted("fixcast is about to end"))
    programs.open()
    #expect(await launcher.run(ExecCommand(["/bin/true"]), variables: [:]) { _ in } == .exited(0))
  }
}
