// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

/// Who belongs to a program.
@Suite("A program's family")
struct ExecFamilyTests {
  private typealias Process = ExecFamily.Process

  private static func process(
    _ number: Int32, of parent: Int32, isDead: Bool = false, isMarked: Bool = false
  ) -> Process {
    Process(
      number: number, parent: parent, startTicks: UInt64(number), isDead: isDead,
      isMarked: isMarked)
  }

  @Test("are its descendants, the marked wherever they are, and whatever those have started")
  func members() {
    let processes = [
      Self.process(1, of: 0), Self.process(10, of: 1, isMarked: true), Self.process(11, of: 10),
      Self.process(12, of: 11), Self.process(20, of: 1, isMarked: true), Self.process(21, of: 20),
      Self.process(30, of: 1), Self.process(31, of: 30),
    ]
    #expect(ExecFamily.members(of: 10, among: processes).map(\.number) == [11, 12, 20, 21])
  }

  @Test("who was known before is one of them, another process of its number is not")
  func known() {
    let known = [Self.process(11, of: 10), Self.process(12, of: 10)]
    var other = Self.process(12, of: 1)
    other.startTicks = 99
    let processes = [Self.process(11, of: 1), other, Self.process(13, of: 11)]
    #expect(ExecFamily.members(of: 10, known, among: processes).map(\.number) == [11, 13])
    #expect(ExecFamily.members(of: 10, among: processes) == [])
  }

  @Test("who is dead is none of them, and what it has started is")
  func dead() {
    let processes = [Self.process(11, of: 10, isDead: true), Self.process(12, of: 11)]
    #expect(ExecFamily.members(of: 10, among: processes).map(\.number) == [12])
  }

  @Test("a circle, as numbers that come again can make one, ends")
  func circle() {
    let processes = [Self.process(11, of: 12), Self.process(12, of: 11, isMarked: true)]
    #expect(ExecFamily.members(of: 10, among: processes).map(\.number) == [11, 12])
  }

  @Test(
    "a program may be called anything",
    arguments: ["cat", "a b", "x) R 7 7", ") Z 9", "(sd-pam)", ""])
  func stat(name: String) throws {
    let text = "42 (\(name)) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 2"
    let process = try #require(ExecFamily.process(42, stat: Array(text.utf8)))
    #expect(process == Process(number: 42, parent: 7, startTicks: 9876))
  }

  @Test("one that is dead says so, and what is cut short is nobody", arguments: ["Z", "X"])
  func state(letter: String) throws {
    let text = "42 (cat) \(letter) 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876"
    #expect(try #require(ExecFamily.process(42, stat: Array(text.utf8))).isDead)
    #expect(ExecFamily.process(42, stat: Array(text.utf8.dropLast(6))) == nil)
    #expect(ExecFamily.process(42, stat: Array("42".utf8)) == nil)
  }

  @Test("the mark is a whole variable, not a part of one")
  func mark() {
    let environment = Array("A=1\0FIXCAST_EXEC=ab\0".utf8)
    #expect(ExecFamily.holds("FIXCAST_EXEC=ab", in: environment))
    #expect(!ExecFamily.holds("FIXCAST_EXEC=a", in: environment))
    #expect(!ExecFamily.holds("FIXCAST_EXEC=ab", in: Array("XFIXCAST_EXEC=ab\0".utf8)))
    #expect(!ExecFamily.holds("FIXCAST_EXEC=ab", in: []))
  }

  @Test("no two families have one mark")
  func marks() { #expect(ExecFamily().mark != ExecFamily().mark) }
}
