// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing
import WeatherClient

@Suite("Weather conditions")
struct WeatherConditionTests {
  @Test("are mapped from WMO codes, and an unknown code is kept")
  func codes() {
    let known = (0...255).map(WeatherCondition.init(wmoCode:)).filter {
      if case .unknown = $0 { false } else { true }
    }
    #expect(known.count == 28)
    #expect(WeatherCondition(wmoCode: 61) == .lightRain)
    #expect(WeatherCondition(wmoCode: 61).name == "lightrain")
    #expect(WeatherCondition(wmoCode: 42) == .unknown(code: "42"))
    #expect(WeatherCondition(wmoCode: 42).name == "unknown:42")
  }

  @Test("have a word each, and are found by it")
  func names() {
    let names = WeatherCondition.known.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { !$0.hasPrefix("unknown") && !$0.contains(" ") })
    #expect(names.map(WeatherCondition.init(name:)) == WeatherCondition.known)
    #expect(WeatherCondition(name: "nonsense") == nil)
    #expect(WeatherCondition(name: "unknown:42") == .unknown(code: "42"))
  }

  @Test("every code that is mapped leads into the list")
  func list() {
    for code in 0...255 {
      let condition = WeatherCondition(wmoCode: code)
      if case .unknown = condition { continue }
      #expect(WeatherCondition.known.contains(condition), "\(code)")
    }
  }

  @Test("of an unknown code only what can be shown is kept")
  func shown() {
    #expect(WeatherCondition(unknownCode: "frogs\u{1B}[2J\n€") == .unknown(code: "frogs[2J"))
    #expect(
      WeatherCondition(unknownCode: String(repeating: "x", count: 1000))
        == .unknown(code: String(repeating: "x", count: 40)))
  }

  @Test("are stored by their word")
  func coding() throws {
    let all = WeatherCondition.known + [.unknown(code: "frogs_day")]
    let data = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode([WeatherCondition].self, from: data) == all)
    let foreign = Data(#"["rain","frogs"]"#.utf8)
    #expect(
      try JSONDecoder().decode([WeatherCondition].self, from: foreign)
        == [.rain, .unknown(code: "frogs")])
  }
}
