// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import WeatherClient
import WeatherFeature

/// The live view's section for the weather and its origin, or the reason why there is no weather.
struct WatchWeather: WatchSection {
  /// The age in seconds from which weather is old; it is looked up every half hour.
  private static let oldSeconds = 3600.0

  let state: WatchState
  let now: MonotonicTime

  var rows: [WatchRow] {
    guard state.wantsWeather else { return [] }
    var rows = known()
    if let hold = state.hold {
      rows.append(
        weatherRow(
          isFirst: rows.isEmpty, age(hold.at), "held: \(WatchPath.text(forReason: hold.value))",
          .bad))
      rows.append(
        WatchRow(rank: .detail, text: "looked up as soon as there is a path", tone: .bad))
    } else if let failure = state.weatherFailure {
      rows.append(
        weatherRow(isFirst: rows.isEmpty, age(failure.at), failure.value, .bad))
      rows.append(
        WatchRow(rank: .detail, text: "retry in a minute or more", tone: .bad))
    } else if rows.isEmpty {
      let text =
        state.location == nil
        ? "needs a position first"
        : state.weather == nil ? "no answer yet" : "no report that is still valid"
      rows.append(weatherRow(isFirst: true, "", text, .plain))
    }
    if let tendency = state.outlook?.value.pressureTendencyHectopascals {
      rows.append(WatchRow(rank: .motion, text: OutlookText.words(pressureTendency: tendency)))
    }
    if let almanac = state.outlook?.value.resolved.almanac {
      rows.append(WatchRow(rank: .detail, text: "sun " + OutlookText.sun(almanac)))
      rows.append(WatchRow(rank: .detail, text: "moon " + OutlookText.moon(almanac)))
    }
    return rows
  }

  private func weatherRow(
    isFirst: Bool, _ age: String, _ text: String, _ tone: TextStyle.Tone
  ) -> WatchRow {
    WatchRow(
      rank: isFirst ? .subject : .detail, label: isFirst ? "Weather" : "", age: age, text: text,
      tone: tone)
  }

  /// The newest weather.
  ///
  /// An empty outlook does not fall back to an older report.
  private func known() -> [WatchRow] {
    if let outlook = state.outlook, state.weather.map({ $0.at <= outlook.at }) ?? true {
      return known(outlook) ?? []
    }
    return state.weather.map { known($0) } ?? []
  }

  /// The rows of a provider's report, until an outlook with all origins has been computed.
  private func known(_ seen: WatchState.Seen<WatchState.Weather>) -> [WatchRow] {
    let report = seen.value.report
    var source = "\(report.kind.rawValue) by \(report.provider)"
    if report.isSimulated { source += ", simulated" }
    if let time = report.validAt { source += valid(time) }
    let place = seen.value.place.map { self.place($0) } ?? self.place(report.coordinate)
    return rows(
      report.now, since: seen.at, place: place, source: source, report.attribution)
  }

  /// The rows of the best weather; `nil` if the outlook has no weather.
  private func known(_ seen: WatchState.Seen<WeatherOutlook>) -> [WatchRow]? {
    let outlook = seen.value
    guard let best = outlook.resolved.best else { return nil }
    var source = OutlookText.origin(best)
    if best.isSimulated { source += ", simulated" }
    if best.quality == .fresh, let time = outlook.report?.validAt { source += valid(time) }
    let computed = seen.at.advanced(byNanoseconds: -Int64(min(best.ageSeconds, 1e9) * 1e9))
    let place = outlook.place.map { self.place($0) } ?? self.place(outlook.coordinate)
    var rows = rows(
      best.weather, since: computed, place: place, source: source, best.attribution)
    if best.distanceMeters >= 1000 {
      let text = "for a place \(OutlookText.distance(best)) away"
      rows.append(WatchRow(rank: .detail, text: text))
    }
    if best.quality != .sensor,
      let own = outlook.resolved.weather.first(where: { $0.quality == .sensor })
    {
      let measured = seen.at.advanced(byNanoseconds: -Int64(min(own.ageSeconds, 1e9) * 1e9))
      rows += self.rows(
        own.weather, since: measured, place: nil, source: OutlookText.origin(own), nil)
    }
    return rows
  }

  /// The time for which the weather is valid, to the minute, which is the providers' precision.
  private func valid(_ time: UTCTime) -> String { ", valid \(Text.time(time).dropLast(4))Z" }

  private func rows(
    _ moment: CurrentWeather, since: MonotonicTime, place: String?, source: String,
    _ attribution: String?
  ) -> [WatchRow] {
    var head: [String] = []
    if let temperature = moment.temperatureDegreesCelsius {
      head.append(Text.fixed(temperature, 1) + " °C")
    }
    if let condition = moment.condition { head.append(condition.title) }
    if let felt = moment.apparentTemperatureDegreesCelsius {
      head.append("feels like \(Text.fixed(felt, 1)) °C")
    }
    var air: [String] = []
    if let speed = moment.windSpeedMetersPerSecond {
      let from = moment.windDirectionDegreesTrue.map { " from \(Text.fixed($0, 0))°" } ?? ""
      air.append("wind \(Text.fixed(speed, 1)) m/s\(from)")
    }
    if let pressure = moment.pressureSeaLevelHectopascals {
      air.append("\(Text.fixed(pressure, 0)) hPa")
    }
    if let humidity = moment.humidityPercent { air.append("\(Text.fixed(humidity, 0)) % humidity") }
    if let water = moment.waterTemperatureDegreesCelsius {
      air.append("water \(Text.fixed(water, 1)) °C")
    }
    // If the first line would be empty, the second line replaces it.
    if head.isEmpty { (head, air) = (air, []) }
    let isOld = now.seconds(since: since) > Self.oldSeconds
    return [
      weatherRow(
        isFirst: place != nil, age(since, oldAfter: Self.oldSeconds),
        head.isEmpty ? "no values" : head.joined(separator: ", "), isOld ? .bad : .good),
      air.isEmpty ? nil : WatchRow(rank: .motion, text: air.joined(separator: ", ")),
      place.map { WatchRow(rank: .motion, text: $0) },
      WatchRow(rank: .detail, text: source),
      attribution.map { WatchRow(rank: .detail, text: $0) },
    ].compactMap { $0 }
  }

  private func place(_ coordinate: Coordinate) -> String {
    let text = Text.coordinate(coordinate, places: 2)
    return "for " + text.split(separator: " ").joined(separator: " ")
  }

  private func place(_ place: Place) -> String {
    var text = "for " + place.title
    if let country = place.countryCode { text += ", " + country }
    if let distance = place.distanceMeters {
      text += ", \(Text.fixed(distance / 1000, 1)) km away"
    }
    return text
  }
}
