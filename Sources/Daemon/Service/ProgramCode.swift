// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc

/// The program's own code in memory.
///
/// The kernel maps code in stretches around what is called. What only starting calls, or the one
/// lookup of half an hour, stays mapped for years then: a quarter of all the memory of the daemon.
enum ProgramCode {
  /// How long the daemon has run when it gives it back for the first time, in seconds.
  static let firstSeconds = 40
  /// What lies between two times from then on, in seconds: half of what lies between two lookups.
  static let intervalSeconds = 900

  /// Gives back what is mapped of the program's code; what is called next is mapped again, from the
  /// file's pages, which the kernel keeps for as long as it has room.
  ///
  /// - Returns: How many bytes of code the program has; 0 where they are not found.
  @discardableResult
  static func giveBack() -> Int {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0, count < path.count,
      let maps = try? Data(contentsOf: URL(filePath: "/proc/self/maps"))
    else { return 0 }
    let program = String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var sum = 0
    for range in ranges(of: program, in: String(decoding: maps, as: UTF8.self)) {
      guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
        madvise(start, range.count, MADV_DONTNEED) == 0
      else { continue }
      sum += range.count
    }
    return sum
  }

  /// Where a program's code lies: what is run and never written, and nothing else, since what was
  /// written would be lost.
  static func ranges(of program: String, in maps: String) -> [Range<UInt>] {
    maps.split(separator: "\n").compactMap { line in
      // Address, permissions, offset, device and inode; a path may have blanks.
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1] == "r-xp",
        fields[5].drop(while: { $0 == " " }) == program[...]
      else { return nil }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { return nil }
      return ends[0]..<ends[1]
    }
  }
}
