// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Provider times, units and conditions")
struct ProviderTimeTests {
  @Test(
    arguments: [
      ("2020-07-20T11:00:00Z", 1_595_242_800, 0), ("2020-07-20T11:00Z", 1_595_242_800, 0),
      ("2020-07-20T07:00:00-04:00", 1_595_242_800, -14_400),
      ("2020-07-20T16:30:00.123456+0530", 1_595_242_800, 19_800),
      ("2020-07-20T11:00:00", nil, nil), ("2020-02-30T11:00:00Z", nil, nil),
      ("2020-07-20T25:00:00Z", nil, nil), ("2020-07-20T11:00:00.", nil, nil),
      ("2020-07-20T11:00:00+99:00", nil, nil), ("", nil, nil), ("2020-07-20", nil, nil),
      ("2020-07-20T11:00:00ZZ", nil, nil), ("2020-07-20T11:00:0", nil, nil),
    ] as [(String, Int64?, Int?)])
  func `an ISO 8601 time with an offset is parsed, and any other text is rejected`(
    text: String, seconds: Int64?, offset: Int?
  ) {
    let stamped = ProviderTime.iso(text)
    #expect(stamped?.utc.secondsSince1970 == seconds)
    #expect(stamped?.offsetSeconds == offset)
  }

  @Test func `the date of an ISO 8601 time with an offset is the local date`() {
    #expect(ProviderTime.iso("2020-07-20T23:00:00-04:00")?.date.civil.day == 20)
    #expect(ProviderTime.iso("2020-07-20T01:00:00+09:00")?.date.civil.day == 20)
  }

  @Test(
    arguments: [
      ("Mon, 20 Jul 2020 11:00:00 GMT", 1_595_242_800), ("Mon, 20 Jul 2020 11:00:00 CET", nil),
      ("Monday, 20-Jul-20 11:00:00 GMT", nil), ("0", nil), ("Mon, 31 Feb 2020 11:00:00 GMT", nil),
      ("Mon, 20 Jul 2020 11:00 GMT", nil), ("Mon, 20 Jul 99999999999 11:00:00 GMT", nil),
    ] as [(String, Int64?)])
  func `an HTTP date is parsed, and any other text is rejected`(text: String, seconds: Int64?) {
    #expect(ProviderTime.http(text)?.secondsSince1970 == seconds)
  }

  @Test(
    arguments: [
      ("PT1H", 3600), ("P1DT6H", 108_000), ("P2D", 172_800), ("PT90M", 5400), ("P", nil),
      ("PT", nil), ("PT0H", nil), ("P1H", nil), ("PT1D", nil), ("1H", nil), ("PT99999999H", nil),
      ("PT1", nil),
    ] as [(String, Int?)])
  func `an ISO 8601 duration is parsed, and any other text is rejected`(text: String, seconds: Int?) {
    #expect(ProviderTime.durationSeconds(text) == seconds)
  }

  @Test(
    arguments: [
      (1_795_262_400, 1_795_262_400), (-999, nil), (0, nil), (1e300, nil), (.nan, nil),
      (.infinity, nil),
    ] as [(Double, Int64?)])
  func `an implausible Unix time is rejected`(seconds: Double, expected: Int64?) {
    #expect(ProviderTime.unix(seconds)?.secondsSince1970 == expected)
  }

  @Test(
    arguments: [
      ("18 km/h", 5), ("5 to 13 km/h", 2.5), ("10 mph", 4.4704), ("calm", nil), ("", nil),
      ("x km/h", nil), ("5 km/h or so", nil), ("5 parsec", nil),
    ] as [(String, Double?)])
  func `an NWS wind speed text is converted to metres per second`(text: String, expected: Double?) {
    #expect(NWSText.windMetersPerSecond(text) == expected)
  }

  @Test(
    arguments: [
      (METNorwaySymbol.condition("heavysleetshowersandthunder_polartwilight"), .thunderstorm),
      (METNorwaySymbol.condition("fair_night"), .mainlyClear),
      (METNorwaySymbol.condition("frogs_day"), .unknown(code: "frogs_day")),
      (NWSText.condition(icon: "https://x/icons/land/day/tsra,40/ovc?size=medium"), .thunderstorm),
      (NWSText.condition(icon: "https://x/icons/land/night/wind_bkn"), .mostlyCloudy),
      (NWSText.condition(icon: "https://x/icons/land/day/hot"), .unknown(code: "hot")),
      (NWSText.condition(weather: "frogs", intensity: nil), .unknown(code: "frogs")),
      (DarkSkyIcon.condition("possible-light-rain-night"), .lightRain),
      (DarkSkyIcon.condition("frogs"), .unknown(code: "frogs")),
      (OpenWeatherCode.condition(771), .squall),
      (OpenWeatherCode.condition(999), .unknown(code: "999")),
    ] as [(WeatherCondition, WeatherCondition)])
  func `a provider's code is mapped to a condition, or kept as an unknown code`(
    condition: WeatherCondition, expected: WeatherCondition
  ) {
    #expect(condition == expected)
  }
}
