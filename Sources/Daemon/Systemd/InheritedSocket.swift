// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A listening socket that the service manager has opened for the program.
///
/// Source: sd_listen_fds(3).
enum InheritedSocket {
  /// The number of the first passed descriptor.
  private static let firstDescriptor: Int32 = 3

  /// Returns the descriptor of the socket with a name, as set by `FileDescriptorName=`.
  ///
  /// Returns `nil` if there is none, or if the sockets are for another process.
  static func descriptor(
    named name: String, environment: (String) -> String?, processID: Int32? = nil
  ) -> Int32? {
    guard environment("LISTEN_PID").flatMap({ Int32($0) }) == processID ?? getpid(),
      let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...64).contains(count)
    else { return nil }
    let names = environment("LISTEN_FDNAMES")?.split(
      separator: ":", omittingEmptySubsequences: false)
    guard let index = names?.prefix(Int(count)).firstIndex(where: { $0 == name }) else {
      return nil
    }
    return firstDescriptor + Int32(index)
  }
}
