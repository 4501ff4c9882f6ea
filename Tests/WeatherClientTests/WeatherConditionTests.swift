// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing
import WeatherClient

@Suite("Weather conditions")
struct WeatherConditionTests {
  @Test func `28 WMO codes are mapped to conditions, and all other codes become unknown conditions`() {
    let mapped = (0...255).map(WeatherCondition.init(wmoCode:)).filter {
      if case .unknown = $0 { false } else { true }
    }
    #expect(mapped.count == 28)
    #expect(WeatherCondition(wmoCode: 61) == .lightRain)
    #expect(WeatherCondition(wmoCode: 61).name == "lightrain")
    #expect(WeatherCondition(wmoCode: 42) == .unknown(code: "42"))
    #expect(WeatherCondition(wmoCode: 42).name == "unknown:42")
  }

  @Test func `every condition has a unique name, from which the condition can be created`() {
    let names = WeatherCondition.known.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { !$0.hasPrefix("unknown") && !$0.contains(" ") })
    #expect(names.map(WeatherCondition.init(name:)) == WeatherCondition.known)
    #expect(WeatherCondition(name: "nonsense") == nil)
    #expect(WeatherCondition(name: "unknown:42") == .unknown(code: "42"))
  }

  @Test func `every mapped WMO code becomes a condition of the list of known conditions`() {
    for code in 0...255 {
      let condition = WeatherCondition(wmoCode: code)
      if case .unknown = condition { continue }
      #expect(WeatherCondition.known.contains(condition), "\(code)")
    }
  }

  @Test func `an unknown code is reduced to printable ASCII characters, 40 at most`() {
    #expect(WeatherCondition(unknownCode: "frogs\u{1B}[2J\n€") == .unknown(code: "frogs[2J"))
    #expect(
      WeatherCondition(unknownCode: String(repeating: "x", count: 1000))
        == .unknown(code: String(repeating: "x", count: 40)))
  }

  @Test func `conditions are encoded by name, and unknown names are decoded as unknown conditions`() throws {
    let all = WeatherCondition.known + [.unknown(code: "frogs_day")]
    let data = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode([WeatherCondition].self, from: data) == all)
    let json = Data(#"["rain","frogs"]"#.utf8)
    #expect(
      try JSONDecoder().decode([WeatherCondition].self, from: json)
        == [.rain, .unknown(code: "frogs")])
  }
}
