// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc
internal import SystemSupport

/// The program's own code pages in memory.
///
/// The kernel maps code in blocks around each called function, and does not unmap the blocks. Code
/// that runs only at the start, or once per weather lookup, would stay mapped for years, and use a
/// quarter of the daemon's memory.
enum ProgramCode {
  /// Time from the daemon's start to the first release, in seconds.
  static let firstSeconds = 40
  /// Time between further releases, in seconds: half the interval of weather lookups.
  static let intervalSeconds = 900

  /// Unmaps the pages of the program's code.
  ///
  /// When the code is called again, the kernel maps it again, normally from the page cache.
  ///
  /// - Returns: The size of the released code in bytes; 0 if the mappings cannot be found.
  @discardableResult
  static func release() -> Int {
    guard let program = SymbolicLink.target(of: "/proc/self/exe"),
      let maps = try? Data(contentsOf: URL(filePath: "/proc/self/maps"))
    else { return 0 }
    var sum = 0
    for range in ranges(of: program, in: String(decoding: maps, as: UTF8.self)) {
      guard let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound),
        madvise(start, range.count, MADV_DONTNEED) == 0
      else { continue }
      sum += range.count
    }
    return sum
  }

  /// Returns the address ranges of a program's code.
  ///
  /// Ignores writable mappings, because releasing a modified page would discard its content.
  static func ranges(of program: String, in maps: String) -> [Range<UInt>] {
    maps.split(separator: "\n").compactMap { line in
      // The fields are address, permissions, offset, device, inode and path. A path may contain
      // spaces.
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1] == "r-xp",
        fields[5].drop(while: { $0 == " " }) == program[...]
      else { return nil }
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
      return bounds[0]..<bounds[1]
    }
  }
}
