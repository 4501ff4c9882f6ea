// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Positioning
internal import Synchronization
internal import SystemSupport

/// Finds the system unit of a control group from the number of the group.
///
/// The kernel states the control group of a TCP client by number, which is the inode number of the
/// group's folder. The folders are listed once, and again if a number is unknown.
///
/// Users can make any number of groups. So the groups of users are listed last, and an unknown group
/// of a user causes a list only if the user has not caused too many.
package final class ControlGroupTree: Sendable {
  private struct State {
    var paths: [UInt64: String] = [:]
    /// Limits the lists for each user, and for all users, of which one person may have many.
    var listsPerUser = RateLimit<UInt32>(burst: 10, perSecond: 1)
    var lists = RateLimit<Bool>(burst: 40, perSecond: 4)

    /// Whether an unknown group of a user may cause a list.
    mutating func mayList(for user: UInt32, at now: MonotonicTime) -> Bool {
      listsPerUser.take(from: user, at: now) && lists.take(from: true, at: now)
    }
  }

  private static let maxDepth = 16
  /// The number of the root of the unified hierarchy.
  private static let rootID: UInt64 = 1

  private let root: String
  private let processFolder: String
  /// The maximum number of listed folders.
  private let maxFolders: Int
  private let now: @Sendable () -> MonotonicTime
  private let state = Mutex(State())

  /// Creates a reader of the mounted control groups.
  package init(
    root: String = "/sys/fs/cgroup", processFolder: String = "/proc", maxFolders: Int = 8192,
    now: @escaping @Sendable () -> MonotonicTime = { MonotonicTime.now() }
  ) {
    self.root = root
    self.processFolder = processFolder
    self.maxFolders = maxFolders
    self.now = now
  }

  /// Returns the client of a TCP connection.
  ///
  /// Returns `nil` if its control group is uncertain: without its unit, the client would get the
  /// rights of its user, even if the unit is locked.
  package func client(user: UInt32, group: UInt64?) -> PeerEvidence? {
    let identity = ControlGroups.identity(user: user, membership(of: group, user)) {
      membershipOfInit
    }
    return identity.map { PeerEvidence(identity: $0, process: .unknown) }
  }

  private var membershipOfInit: ControlGroups.Membership {
    let lines = try? BoundedFile.read("\(processFolder)/1/cgroup", limit: 65_536)
    return ControlGroups.membership(in: lines ?? [])
  }

  /// Finds the system unit of a group; `nil` if the kernel has not stated the group.
  private func membership(of group: UInt64?, _ user: UInt32) -> ControlGroups.Membership {
    guard let mount else {
      // Without a unified hierarchy, all sockets are in its root. Their units are unknown if
      // systemd has a hierarchy of its own.
      guard group ?? Self.rootID == Self.rootID else { return .unclear }
      return membershipOfInit == .outside ? .outside : .unclear
    }
    guard let group else { return .unclear }
    let path = state.withLock { state in
      if state.paths[group] == nil, state.mayList(for: user, at: now()) {
        state.paths = list(mount)
      }
      return state.paths[group]
    }
    guard let path else { return .unclear }
    return ControlGroups.membership(ofPath: path)
  }

  /// The folder of the unified hierarchy; `nil` if it is not mounted.
  private var mount: String? {
    [root, root + "/unified"].first { access($0 + "/cgroup.controllers", F_OK) == 0 }
  }

  /// Returns the path of each group below a folder, by inode number.
  ///
  /// Lists the groups near the root first, and those of users last, so that no user displaces units.
  private func list(_ mount: String) -> [UInt64: String] {
    let users = "/user.slice"
    var paths: [UInt64: String] = [:]
    for start in ["/", users] {
      var level = [start]
      for _ in 0...Self.maxDepth {
        var next: [String] = []
        for path in level where paths.count < maxFolders {
          guard let (number, names) = Self.read(mount + path, limit: maxFolders) else { continue }
          paths[number] = path
          next += names.map { path == "/" ? "/\($0)" : "\(path)/\($0)" }.filter { $0 != users }
        }
        level = next
      }
    }
    return paths
  }

  /// Returns the inode number of a folder and the names of folders in it; `nil` if it is not a folder.
  private static func read(_ path: String, limit: Int) -> (number: UInt64, names: [String])? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    var names: [String] = []
    guard let folder = opendir(path) else { return (UInt64(status.st_ino), names) }
    defer { closedir(folder) }
    while names.count < limit, let entry = readdir(folder) {
      guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return (UInt64(status.st_ino), names)
  }
}
