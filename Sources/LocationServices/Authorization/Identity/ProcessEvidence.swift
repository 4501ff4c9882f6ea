// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// What the kernel knows of a process, read from /proc.
public struct ProcessEvidence: Sendable {
  private let folder: String

  /// Makes a reader.
  ///
  /// - Parameter folder: Where /proc is.
  public init(folder: String = "/proc") { self.folder = folder }

  /// Who this process is.
  ///
  /// - Returns: The effective user and the system unit; no unit where /proc does not tell.
  public func ownIdentity() -> ClientIdentity {
    ClientIdentity(userID: geteuid(), systemUnit: systemUnit(of: "self"))
  }

  /// The name of this run of this program.
  func ownToken() -> ProcessToken {
    token(of: getpid()) ?? ProcessToken(process: getpid(), startTicks: 0, boot: nil)
  }

  /// Who a process is that the kernel has named as the other end of a socket.
  ///
  /// - Parameters:
  ///   - process: Its number.
  ///   - user: The user that it ran as when it connected.
  ///   - descriptor: What the kernel holds of the process itself (`SO_PEERPIDFD`): while it lives
  ///     its number is no other's. Below zero where it is gone; `nil` where the kernel has none, and
  ///     the times that processes began at have to do.
  /// - Returns: The client; `nil` where there is any doubt of the process or of its unit. Without
  ///   a unit it would get what its user may, though the unit be locked; so it has to ask again.
  ///
  /// Where the kernel has no hold to give, as before Linux 6.5, one thing cannot be told: that the
  /// process which connected ended before this was called, and its number was given to another of
  /// the same user, which then is taken for it. All of a user's processes may do that to each other
  /// anyway; only for a unit that runs as somebody's user it matters.
  package func peer(process: Int32, user: UInt32, descriptor: Int32?) -> PeerEvidence? {
    guard let before = token(of: process) else { return nil }
    let unit: String?
    switch membership(of: process) {
    case .unit(let name): unit = name
    case .outside: unit = nil
    case .unclear: return nil
    }
    // One that is ending has left its control group.
    guard !isEnding(process), before == token(of: process) else { return nil }
    // What the kernel holds is the process that connected, and no number is looked up for it.
    guard descriptor.map(Self.lives) ?? (effectiveUser(of: process) == user) else { return nil }
    return PeerEvidence(
      identity: ClientIdentity(userID: user, systemUnit: unit), process: before)
  }

  /// Whether the process of a descriptor has not ended: it can be read from when it has.
  package static func lives(_ descriptor: Int32) -> Bool {
    guard descriptor >= 0 else { return false }
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 0
  }

  /// A name for a process that no other ever has: numbers come again, and boots too.
  ///
  /// - Returns: The name; `nil` where there is no such process.
  func token(of process: Int32) -> ProcessToken? {
    guard let ticks = startTicks(of: process) else { return nil }
    return ProcessToken(process: process, startTicks: ticks, boot: bootID)
  }

  /// Whether a process still runs: one that has ended and that its parent has not asked about does
  /// not.
  ///
  /// Whoever it handed its connections to is another.
  package func runs(_ token: ProcessToken) -> Bool {
    !isEnding(token.process) && isAlive(token)
  }

  /// Whether a process is ending, long before it counts as gone (PF_EXITING), or is gone.
  private func isEnding(_ process: Int32) -> Bool {
    guard let state = statusField(3, of: process), state != "Z", state != "X",
      let flags = statusField(9, of: process).flatMap({ UInt64($0) })
    else { return true }
    return flags & 0x4 != 0
  }

  /// Whether there is a process that /proc does not show, as with `hidepid`.
  package func isHidden(_ process: Int32) -> Bool {
    token(of: process) == nil && process > 0 && (kill(process, 0) == 0 || errno == EPERM)
  }

  /// Whether a process is still there.
  func isAlive(_ token: ProcessToken) -> Bool { self.token(of: token.process) == token }

  /// Which run of the kernel this is; `nil` where it does not tell.
  var bootID: String? {
    (try? BoundedFile.read("\(folder)/sys/kernel/random/boot_id", limit: 64))
      .flatMap { String(validating: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
  }

  private func systemUnit(of process: String) -> String? {
    (try? BoundedFile.read("\(folder)/\(process)/cgroup", limit: 65_536))
      .flatMap { ControlGroups.systemUnit(in: $0) }
  }

  private func membership(of process: Int32) -> ControlGroups.Membership {
    do throws(FileFailure) {
      return ControlGroups.membership(
        in: try BoundedFile.read("\(folder)/\(process)/cgroup", limit: 65_536))
    } catch {
      // A kernel without control groups has no such file, for a process that is there.
      return error.isMissing ? .outside : .unclear
    }
  }

  private func startTicks(of process: Int32) -> UInt64? {
    statusField(22, of: process).flatMap { UInt64($0) }
  }

  /// A field of `stat`, from the third on, numbered as in proc(5); the second is in parentheses and
  /// may hold anything, parentheses too.
  private func statusField(_ field: Int, of process: Int32) -> String? {
    guard let bytes = try? BoundedFile.read("\(folder)/\(process)/stat", limit: 4096),
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard field > 2, fields.count > field - 3 else { return nil }
    return String(decoding: fields[fields.startIndex + field - 3], as: UTF8.self)
  }

  /// Whom it runs as; the owner of its folder is root where it lets nobody trace it.
  private func effectiveUser(of process: Int32) -> UInt32? {
    guard let bytes = try? BoundedFile.read("\(folder)/\(process)/status", limit: 65_536) else {
      return nil
    }
    // Real, effective, saved and that of the file system.
    let line = bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Uid:".utf8) }
    let fields = line?.split(separator: UInt8(ascii: "\t")) ?? []
    return fields.count > 2 ? UInt32(String(decoding: fields[2], as: UTF8.self)) : nil
  }
}
