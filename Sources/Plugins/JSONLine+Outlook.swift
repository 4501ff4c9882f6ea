// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import WeatherClient
public import WeatherFeature

extension JSONLine {
  /// Appends what is known of the weather as a `WEATHER` object.
  ///
  /// `lat` and `lon` are where the values are for, `age` and `distance` how far that is from now and
  /// here, and `stale` says that they are not a provider's fresh word. Without any value the object
  /// has the sun and the moon alone, and no `kind`. `reason` says why no provider's fresh word is
  /// told, and `retryAfter` in how many seconds one may be asked again, where that is known.
  ///
  /// `pressureTendency` is what the board's own sensor says, in hectopascals over three hours.
  ///
  /// - Parameter outlook: What is known.
  public mutating func appendWEATHER(_ outlook: WeatherOutlook) {
    beginObject()
    constant("class", "WEATHER")
    time("time", outlook.time.map { UTCTime(secondsSince1970: $0.secondsSince1970) })
    if let place = outlook.place { self.place(place) }
    let best = outlook.ladder.best
    let coordinate =
      best.flatMap { $0.rung == .sensor ? nil : outlook.report?.coordinate } ?? outlook.coordinate
    decimal("lat", coordinate.latitudeDegrees, places: 9)
    decimal("lon", coordinate.longitudeDegrees, places: 9)
    if let best {
      string("kind", best.kind.rawValue)
      string("provider", best.provider)
      if best.isSimulated { boolean("simulated", true) }
      if best.rung != .sensor { time("issued", outlook.report?.issuedAt) }
      integer("age", Int(min(best.ageSeconds, 1e15)))
      decimal("distance", best.distanceMeters, places: 1)
      boolean("stale", best.rung != .fresh)
      current(best.weather)
    }
    // Plus zero, since what is rounded to nothing has no sign.
    let tendency = outlook.pressureTendencyHectopascals.map { ($0 * 10).rounded() / 10 + 0 }
    decimal("pressureTendency", tendency, places: 1)
    if let almanac = outlook.ladder.almanac { sky(almanac) }
    if !outlook.days.isEmpty {
      beginArray("days")
      for day in outlook.days { self.day(day) }
      endArray()
    }
    string("attribution", best?.attribution)
    if best?.rung != .fresh {
      string("reason", outlook.reason)
      integer(
        "retryAfter", outlook.failure?.retryAfterSeconds.map { Int(min($0.rounded(.up), 1e9)) })
    }
    endObject()
    endLine()
  }

  private mutating func sky(_ almanac: Almanac) {
    time("sunrise", almanac.day.sunrise)
    time("sunset", almanac.day.sunset)
    string("light", almanac.light.rawValue)
    string("moon", almanac.moon.name.rawValue)
    decimal("moonIllumination", almanac.moon.illuminationPercent, places: 1)
  }
}
