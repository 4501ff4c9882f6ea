// SPDX-License-Identifier: Apache-2.0

import Plugins
import Testing

@testable import fixcast

@Suite("The keys of the live view")
struct WatchKeysTests {
  @Test(
    arguments: [
      ("q", [.quit]), ("Q", [.quit]), ("usn?", [.units, .skyPlot, .sentences, .help]),
      ("xyz\r\n ", []), ("\u{1B}[A", []), ("\u{1B}[1;5q", []), ("\u{1B}Oq", []), ("\u{1B}q", []),
      ("\u{1B}[Bs", [.skyPlot]), ("é", []),
    ] as [(String, [WatchKey])])
  func `the live view recognizes its keys, and ignores other keys and escape sequences`(
    typed: String, expected: [WatchKey]
  ) {
    var keys = WatchKeys()
    #expect(keys.keys(in: Array(typed.utf8)) == expected)
  }

  @Test func `the Esc key of the live view does not disable the next key`() {
    var keys = WatchKeys()
    #expect(keys.keys(in: [0x1B]) == [])
    #expect(keys.keys(in: Array("q".utf8)) == [.quit])
    // A sequence may arrive in two reads.
    #expect(keys.keys(in: [0x1B, 0x5B]) == [])
    #expect(keys.keys(in: Array("q".utf8)) == [])
  }

  @Test func `the keys of the live view change the units, the sky plot, the sentences and the key list`() {
    var display = WatchDisplay()
    var units: [UnitSystem?] = []
    for _ in 0..<3 {
      display.press(.units, showsPlot: false)
      units.append(display.units)
    }
    #expect(units == [.imperial, .nautical, .metric])
    // The key hides a plot that is shown automatically, and forces a plot that is not shown.
    display.press(.skyPlot, showsPlot: true)
    #expect(display.skyPlot == .hidden)
    display.press(.skyPlot, showsPlot: false)
    #expect(display.skyPlot == .shown)
    display.press(.skyPlot, showsPlot: false)
    #expect(display.skyPlot == .hidden)
    display.press(.sentences, showsPlot: false)
    display.press(.help, showsPlot: false)
    #expect(display.showsSentences && display.showsHelp && !display.isQuitting)
    display.press(.quit, showsPlot: false)
    #expect(display.isQuitting)
  }
}
