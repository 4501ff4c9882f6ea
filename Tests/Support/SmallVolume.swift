// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small in-memory file system for tests of a full disk.
///
/// The volume is not mounted. Only a descriptor of this process keeps the volume alive, so the
/// kernel removes it when the process ends.
package final class SmallVolume: Sendable {
  private let descriptor: Int32

  /// The path of the volume, valid only in this process.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Whether this process may make volumes.
  package static let isPermitted = SmallVolume(bytes: 4096) != nil

  /// Makes a volume; `nil` if that is not permitted.
  ///
  /// - Parameter bytes: The size, in whole pages of 4096 bytes.
  package init?(bytes: Int) {
    let context = call("fsopen", "tmpfs", 1)
    guard context >= 0 else { return nil }
    defer { close(context) }
    let (setString, create): (UInt32, UInt32) = (1, 6)
    guard configure(context, setString, "size", "\(bytes)") == 0,
      configure(context, create, nil, nil) == 0
    else { return nil }
    descriptor = mountDescriptor(context)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Fills the volume completely with a file.
  package func fill(_ name: String = "filler") {
    Self.fill(path + "/" + name)
  }

  /// Removes a file.
  package func remove(_ name: String = "filler") { unlink(path + "/" + name) }
}

extension SmallVolume {
  /// Runs a body on a thread that alone sees a volume mounted on a folder.
  ///
  /// Use this function for code that needs a real path.
  ///
  /// - Parameters:
  ///   - bytes: The size of the volume.
  ///   - folder: The folder to mount on.
  ///   - body: The body; receives a function that fills the volume, and one that frees the space
  ///     again.
  /// - Returns: The result of the body; `nil` if mounting is not permitted.
  package static func use<Value: Sendable>(
    bytes: Int, at folder: String,
    _ body: @escaping @Sendable (_ fill: () -> Void, _ free: () -> Void) -> Value
  ) -> Value? {
    onNewThread {
      let (newMounts, isolated, recursive): (Int32, UInt, UInt) = (0x2_0000, 1 << 18, 1 << 14)
      guard callSystem("unshare", [newMounts]) == 0,
        mount(nil, "/", nil, isolated | recursive, nil) == 0,
        mount("tmpfs", folder, "tmpfs", 0, "size=\(bytes)") == 0
      else { return nil }
      return body({ fill(folder + "/filler") }, { unlink(folder + "/filler") })
    } ?? nil
  }

  private static func fill(_ path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    let page = [UInt8](repeating: 0, count: 4096)
    while write(file, page, page.count) > 0 {}
  }
}

private func mount(_ source: String?, _ target: String, _ type: String?, _ flags: UInt, _ data: String?) -> Int32 {
  typealias Text = UnsafePointer<CChar>
  typealias Call = @convention(c) (Text?, Text, Text?, UInt, Text?) -> Int32
  guard let symbol = dlsym(nil, "mount") else { return -1 }
  return unsafeBitCast(symbol, to: Call.self)(source, target, type, flags, data)
}

// These functions call fsopen(2), fsconfig(2) and fsmount(2), which the Glibc module lacks.

private func call(_ name: String, _ text: String, _ flags: UInt32) -> Int32 {
  typealias Call = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
  guard let symbol = dlsym(nil, name) else { return -1 }
  return unsafeBitCast(symbol, to: Call.self)(text, flags)
}

private func configure(_ context: Int32, _ command: UInt32, _ key: String?, _ value: String?) -> Int32 {
  typealias Call =
    @convention(c) (Int32, UInt32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32) -> Int32
  guard let symbol = dlsym(nil, "fsconfig") else { return -1 }
  let function = unsafeBitCast(symbol, to: Call.self)
  guard let key, let value else { return function(context, command, nil, nil, 0) }
  return function(context, command, key, value, 0)
}

private func mountDescriptor(_ context: Int32) -> Int32 {
  typealias Call = @convention(c) (Int32, UInt32, UInt32) -> Int32
  guard let symbol = dlsym(nil, "fsmount") else { return -1 }
  return unsafeBitCast(symbol, to: Call.self)(context, 1, 0)
}
