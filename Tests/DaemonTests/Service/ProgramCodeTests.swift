// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Daemon

@Suite("Program code in memory") struct ProgramCodeTests {
  private static let maps = """
    00400000-00600000 r--p 00000000 fe:00 1 /usr/bin/fixcast
    00600000-01b00000 r-xp 00200000 fe:00 1 /usr/bin/fixcast
    01b00000-01c00000 rw-p 01700000 fe:00 1 /usr/bin/fixcast
    01c00000-01d00000 r-xs 01700000 fe:00 1 /usr/bin/fixcast
    01d00000-01e00000 r-xp 00000000 00:00 0
    7f0000000000-7f0000100000 r-xp 00026000 fe:00 2      /usr/lib/libc.so.6
    7f0000200000-7f0000300000 r-xp 00000000 fe:00 3      /usr/bin/fixcast extra
    7f0000400000-7f0000500000 r-xp 00000000 00:00 0      [vdso]
    """

  @Test func `the code ranges are the program's executable mappings that are not writable`() {
    #expect(
      ProgramCode.ranges(of: "/usr/bin/fixcast", in: Self.maps) == [0x60_0000..<0x1B0_0000])
    #expect(
      ProgramCode.ranges(of: "/usr/bin/fixcast extra", in: Self.maps)
        == [0x7F00_0020_0000..<0x7F00_0030_0000])
    #expect(ProgramCode.ranges(of: "/usr/bin/other", in: Self.maps).isEmpty)
    #expect(ProgramCode.ranges(of: "", in: "\nx-y r-xp\n-").isEmpty)
  }

  @Test func `the program keeps running after its code has been released`() {
    for _ in 0..<100 { #expect(ProgramCode.release() > 0) }
  }

  /// Returns the resident size of an address range in kilobytes, as the kernel reports it.
  static func mappedKilobytes(of range: Range<UInt>) throws -> Int {
    let maps = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
    let head = "\(String(range.lowerBound, radix: 16))-\(String(range.upperBound, radix: 16)) "
    let lines = maps.split(separator: "\n").drop { !$0.hasPrefix(head) }
    let line = try #require(lines.first { $0.hasPrefix("Rss:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  // Run in a separate process, because other tests call code at the same time.
  @Test func `released code is unmapped, except for code that was called since the release`() async {
    await #expect(processExitsWith: .success) {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
      let range = try #require(
        ProgramCode.ranges(of: program, in: maps).max { $0.count < $1.count })
      // Read every page of the first 32 MB, which is more code than this process calls.
      let touched = min(range.count, 32 << 20)
      let start = try #require(UnsafeRawPointer(bitPattern: range.lowerBound))
      var sum = 0
      for offset in stride(from: 0, to: touched, by: 4096) {
        sum &+= Int(start.load(fromByteOffset: offset, as: UInt8.self))
      }
      #expect(sum != 0)
      let before = try ProgramCodeTests.mappedKilobytes(of: range)
      #expect(before >= touched / 1024)
      #expect(ProgramCode.release() >= range.count)
      let after = try ProgramCodeTests.mappedKilobytes(of: range)
      #expect(after < before / 2, "\(before) kB, then \(after) kB")
      print("code: \(before) kB mapped, \(after) kB after the release")
    }
  }
}
