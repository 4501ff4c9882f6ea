// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Positioning
internal import SystemSupport

/// All that a program has started, in whatever session it is by now.
///
/// Whoever calls setsid(2) is in no group of the program's any more, and whoever outlives its parent
/// is nobody's child that could be told: so each carries a mark in its environment, which children
/// inherit. That needs no right beyond the same user's, and is nothing to other children of this
/// process. Who clears its environment is found as long as its parents live. Only who does all three,
/// and not just before the program is to end, is not found.
struct ExecFamily: Sendable {
  /// The variable that a program and all that it starts have.
  static let variable = "FIXCAST_EXEC"
  /// How often it is looked again for those that were started meanwhile.
  private static let mostRounds = 16
  /// How long those that were killed are waited for, in milliseconds.
  private static let waitMilliseconds: Int64 = 1000
  /// Far more than a board has.
  private static let mostProcesses = 32_768

  /// What this program's variable holds, as no other's.
  let mark: String
  private let folder: String
  private let now: @Sendable () -> Int64

  /// Makes a family that nobody belongs to yet.
  ///
  /// - Parameters:
  ///   - folder: Where /proc is.
  ///   - now: The milliseconds of a clock that never jumps.
  init(folder: String = "/proc", now: @escaping @Sendable () -> Int64 = Self.milliseconds) {
    mark = String(UInt64.random(in: .min ... .max), radix: 16)
    self.folder = folder
    self.now = now
  }

  /// One process, as /proc tells of it.
  struct Process: Equatable {
    var number: Int32
    var parent: Int32
    /// Since the start of the system, by which it is told from another of its number.
    var startTicks: UInt64
    var isDead = false
    var isMarked = false

    /// What no other process has.
    fileprivate var identity: [UInt64] { [UInt64(bitPattern: Int64(number)), startTicks] }
  }

  /// Who is there now.
  ///
  /// - Parameters:
  ///   - program: The program, which nobody has reaped yet; it is none of them.
  ///   - known: Who was there before, and may have lost its parent since.
  /// - Returns: Those that live.
  func members(of program: Int32, _ known: [Process]) -> [Process] {
    Self.members(of: program, known, among: processes())
  }

  /// Sends a signal once to each of them.
  func signal(_ number: Int32, of program: Int32, _ known: [Process]) -> [Process] {
    let members = members(of: program, known)
    for member in members { send(number, to: member)?.close() }
    return members
  }

  /// Kills all of them; returns when they are gone, or after a second.
  func kill(of program: Int32, _ known: [Process]) {
    let deadline = now() + Self.waitMilliseconds
    // Whoever is about to start another when it is killed has started it by the next round.
    for _ in 0..<Self.mostRounds {
      let killed = members(of: program, known).compactMap { send(SIGKILL, to: $0) }
      for handle in killed {
        handle.wait(milliseconds: Int32(clamping: max(deadline - now(), 0)))
        handle.close()
      }
      if killed.isEmpty || now() >= deadline { return }
    }
  }

  /// Who belongs to a program: the marked, those that are known, and whatever any of them has started.
  ///
  /// - Parameters:
  ///   - program: The program; it is none of them.
  ///   - known: Who was there before.
  ///   - processes: All there are.
  /// - Returns: Those that live, the oldest first.
  static func members(
    of program: Int32, _ known: [Process] = [], among processes: [Process]
  ) -> [Process] {
    let children = Dictionary(grouping: processes, by: \.parent)
    var found: [Process] = []
    var seen: Set<Int32> = [program]
    let before = Set(known.map(\.identity))
    var next =
      processes.filter { $0.isMarked || before.contains($0.identity) } + (children[program] ?? [])
    while let process = next.popLast() {
      guard seen.insert(process.number).inserted else { continue }
      found.append(process)
      next += children[process.number] ?? []
    }
    return found.filter { !$0.isDead }.sorted { $0.startTicks < $1.startTicks }
  }

  /// Whether an environment, as /proc has it, holds a variable.
  static func holds(_ assignment: String, in environment: [UInt8]) -> Bool {
    environment.split(separator: 0).contains { $0.elementsEqual(assignment.utf8) }
  }

  /// What `stat` in /proc says; `nil` for anything else.
  ///
  /// The second field is in parentheses and may hold anything, parentheses too.
  static func process(_ number: Int32, stat: [UInt8]) -> Process? {
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "))
      .map { String(decoding: $0, as: UTF8.self) }
    // State, parent, ... and the twenty-second, since when it runs.
    guard fields.count > 19, let parent = Int32(fields[1]), let ticks = UInt64(fields[19]) else {
      return nil
    }
    return Process(
      number: number, parent: parent, startTicks: ticks, isDead: ["Z", "X"].contains(fields[0]))
  }

  private func processes() -> [Process] {
    let names = try? FolderListing.names(in: folder, most: Self.mostProcesses) {
      $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    return (names ?? []).compactMap { Int32($0) }.compactMap(process)
  }

  private func process(_ number: Int32) -> Process? {
    let place = "\(folder)/\(number)"
    guard number != getpid(), let stat = try? BoundedFile.read(place + "/stat", limit: 4096),
      var process = Self.process(number, stat: stat)
    else { return nil }
    // Another user's cannot be read, and could not be killed.
    if !process.isDead, let environment = try? BoundedFile.read(place + "/environ", limit: 1 << 18)
    {
      process.isMarked = Self.holds("\(Self.variable)=\(mark)", in: environment)
    }
    return process
  }

  /// - Returns: What it can be waited for by; `nil` where it is gone, or another by now.
  private func send(_ number: Int32, to member: Process) -> ProcessHandle? {
    guard let handle = ProcessHandle(member.number) else { return nil }
    // From here on its number is no other's: so it is looked at once more before it is sent anything.
    guard process(member.number)?.startTicks == member.startTicks, handle.send(number) else {
      handle.close()
      return nil
    }
    return handle
  }

  private static func milliseconds() -> Int64 { MonotonicTime.now().nanoseconds / 1_000_000 }
}
