// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Information from the kernel about processes, read from /proc.
public struct ProcessEvidence: Sendable {
  private let folder: String

  /// Creates a reader.
  ///
  /// - Parameter folder: The path of the proc file system.
  public init(folder: String = "/proc") { self.folder = folder }

  /// Returns the effective user and the system unit of this process.
  ///
  /// The unit is `nil` if /proc does not show it.
  public func ownIdentity() -> ClientIdentity {
    let identity = ControlGroups.identity(user: geteuid(), membership(of: "self")) {
      membership(of: "1")
    }
    return identity ?? ClientIdentity(userID: geteuid())
  }

  /// Returns the token of this process.
  package func ownToken() -> ProcessToken {
    token(of: getpid()) ?? ProcessToken(process: getpid(), startTicks: 0, boot: nil)
  }

  /// Identifies a process that the kernel reported as the peer of a socket.
  ///
  /// Before Linux 6.5, there is no process descriptor, and one case cannot be detected. If the
  /// connected process ended before this call and its ID was given to another process of the same
  /// user, the other process is taken for the peer. Processes of one user can affect each other
  /// anyway, so this matters only for a system unit whose user also runs other programs.
  ///
  /// - Parameters:
  ///   - process: The process ID.
  ///   - user: The user of the process when it connected.
  ///   - descriptor: The process descriptor of the peer (`SO_PEERPIDFD`), which excludes a reused
  ///     process ID. Negative if the process has ended; `nil` if the kernel does not provide a
  ///     descriptor; the process's effective user is then compared instead.
  /// - Returns: The client; `nil` if the process or its unit is uncertain. The client then has to
  ///   connect again. Without its unit, the client would get the rights of its user, even if the
  ///   unit is locked.
  package func peer(process: Int32, user: UInt32, descriptor: Int32?) -> PeerEvidence? {
    guard let before = token(of: process) else { return nil }
    let identity = ControlGroups.identity(user: user, membership(of: "\(process)")) {
      membership(of: "1")
    }
    guard let identity else { return nil }
    // A process that is ending has already left its control group.
    guard !isEnding(process), before == token(of: process) else { return nil }
    // The descriptor belongs to the connected process itself, whatever its ID is now.
    guard descriptor.map(Self.isRunning(descriptor:)) ?? (effectiveUser(of: process) == user) else {
      return nil
    }
    return PeerEvidence(identity: identity, process: before)
  }

  /// Whether the process of a descriptor still runs; its end makes the descriptor readable.
  package static func isRunning(descriptor: Int32) -> Bool {
    guard descriptor >= 0 else { return false }
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 0
  }

  /// Returns a token that identifies a process across reused IDs and reboots.
  ///
  /// Returns `nil` if the process does not exist.
  func token(of process: Int32) -> ProcessToken? {
    guard let ticks = startTicks(of: process) else { return nil }
    return ProcessToken(process: process, startTicks: ticks, boot: bootID)
  }

  /// Whether a process still runs; a zombie does not.
  ///
  /// A process that inherited a socket can use it after the process that opened it has ended, so
  /// open connections must be checked.
  package func isRunning(_ token: ProcessToken) -> Bool {
    !isEnding(token.process) && isAlive(token)
  }

  /// Whether a process has ended, or is ending and still visible (PF_EXITING).
  private func isEnding(_ process: Int32) -> Bool {
    guard let state = statusField(3, of: process), state != "Z", state != "X",
      let flags = statusField(9, of: process).flatMap({ UInt64($0) })
    else { return true }
    return flags & 0x4 != 0
  }

  /// Whether a process exists but is hidden in /proc, as with `hidepid`.
  package func isHidden(_ process: Int32) -> Bool {
    token(of: process) == nil && process > 0 && (kill(process, 0) == 0 || errno == EPERM)
  }

  /// Whether a process still exists.
  func isAlive(_ token: ProcessToken) -> Bool { self.token(of: token.process) == token }

  /// The boot ID of the kernel; `nil` if it is unavailable.
  var bootID: String? {
    (try? BoundedFile.read("\(folder)/sys/kernel/random/boot_id", limit: 64))
      .flatMap { String(validating: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
  }

  /// Finds the system unit of a process; `process` is its ID or `self`.
  private func membership(of process: String) -> ControlGroups.Membership {
    do throws(FileFailure) {
      return ControlGroups.membership(
        in: try BoundedFile.read("\(folder)/\(process)/cgroup", limit: 65_536))
    } catch {
      // A kernel without control groups has no such file for an existing process.
      return error.isMissing ? .outside : .unclear
    }
  }

  private func startTicks(of process: Int32) -> UInt64? {
    statusField(22, of: process).flatMap { UInt64($0) }
  }

  /// Returns a field of `/proc/PID/stat`, numbered as in proc(5); the lowest valid number is 3.
  ///
  /// The second field is in parentheses and may contain anything, including parentheses.
  private func statusField(_ field: Int, of process: Int32) -> String? {
    guard let bytes = try? BoundedFile.read("\(folder)/\(process)/stat", limit: 4096),
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard field > 2, fields.count > field - 3 else { return nil }
    return String(decoding: fields[fields.startIndex + field - 3], as: UTF8.self)
  }

  /// Returns the effective user of a process.
  ///
  /// The owner of the folder in /proc is not reliable: it is root if the process cannot be traced.
  private func effectiveUser(of process: Int32) -> UInt32? {
    guard let bytes = try? BoundedFile.read("\(folder)/\(process)/status", limit: 65_536) else {
      return nil
    }
    // The real, effective, saved and file-system user IDs.
    let line = bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Uid:".utf8) }
    let fields = line?.split(separator: UInt8(ascii: "\t")) ?? []
    return fields.count > 2 ? UInt32(String(decoding: fields[2], as: UTF8.self)) : nil
  }
}
