// SPDX-License-Identifier: Apache-2.0

/// Small valid replies of all providers, written according to the documentation of each provider.
///
/// The current temperature is 11.5 degrees Celsius, and the wind speed is 5 metres per second.
enum Fixture {
  static let metNorway = """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[-0.13,51.51,9]},
    "properties":{"meta":{"updated_at":"2026-11-21T11:30:00Z","units":{
    "air_pressure_at_sea_level":"hPa","air_temperature":"celsius","precipitation_amount":"mm",
    "wind_speed":"m/s"}},
    "timeseries":[
    {"time":"2026-11-21T12:00:00Z","data":{"instant":{"details":{"air_temperature":11.5,
    "air_pressure_at_sea_level":1012.5,"relative_humidity":81.5,"wind_speed":5,
    "wind_from_direction":240.1,"cloud_area_fraction":75}},
    "next_1_hours":{"summary":{"symbol_code":"lightrainshowers_day"},
    "details":{"precipitation_amount":0.5}},
    "next_6_hours":{"summary":{"symbol_code":"rain"},"details":{"precipitation_amount":4}}}},
    {"time":"2026-11-21T13:00:00Z","data":{"instant":{"details":{"air_temperature":12.5}},
    "next_6_hours":{"summary":{"symbol_code":"cloudy"},"details":{"precipitation_amount":2}}}},
    {"time":"2026-11-21T19:00:00Z","data":{"instant":{"details":{"air_temperature":9}},
    "next_6_hours":{"summary":{"symbol_code":"cloudy"},"details":{"precipitation_amount":0}}}},
    {"time":"2026-11-22T01:00:00Z","data":{"instant":{"details":{"air_temperature":3}}}}]}}
    """

  static let nwsPoint = """
    {"type":"Feature","properties":{"gridId":"TAE","gridX":58,"gridY":65,
    "forecast":"https://elsewhere.invalid/gridpoints/TAE/58,65/forecast",
    "forecastHourly":"https://elsewhere.invalid/gridpoints/TAE/58,65/forecast/hourly"}}
    """

  static let nwsHourly = """
    {"properties":{"updateTime":"2026-11-21T11:30:00+00:00","periods":[
    {"startTime":"2026-11-21T07:00:00-05:00","endTime":"2026-11-21T08:00:00-05:00",
    "temperature":11.5,"temperatureUnit":"C","windSpeed":"18 km/h","windDirection":"SW",
    "probabilityOfPrecipitation":{"unitCode":"wmoUnit:percent","value":20},
    "dewpoint":{"unitCode":"wmoUnit:degC","value":5},
    "relativeHumidity":{"unitCode":"wmoUnit:percent","value":63},
    "icon":"https://api.weather.gov/icons/land/day/tsra,40/ovc?size=small"},
    {"startTime":"2026-11-21T08:00:00-05:00","endTime":"2026-11-21T09:00:00-05:00",
    "temperature":{"unitCode":"wmoUnit:degC","value":12},"windSpeed":"5 to 13 km/h",
    "windDirection":"","icon":"https://api.weather.gov/icons/land/day/wind_few"}]}}
    """

  static let nwsForecast = """
    {"properties":{"periods":[
    {"startTime":"2026-11-21T06:00:00-05:00","isDaytime":true,"temperature":15,
    "temperatureUnit":"C","windSpeed":"36 km/h","icon":"https://x/icons/land/day/rain,80"},
    {"startTime":"2026-11-21T18:00:00-05:00","isDaytime":false,"temperature":41,
    "temperatureUnit":"F","probabilityOfPrecipitation":{"value":30},
    "icon":"https://x/icons/land/night/skc"}]}}
    """

  static let nwsGrid = """
    {"properties":{"updateTime":"2026-11-21T11:00:00+00:00",
    "temperature":{"uom":"wmoUnit:degC","values":[
    {"validTime":"2026-11-21T12:00:00+00:00/PT2H","value":11.5},
    {"validTime":"2026-11-21T14:00:00+00:00/PT1H","value":13}]},
    "windSpeed":{"uom":"wmoUnit:km_h-1","values":[
    {"validTime":"2026-11-21T10:00:00+00:00/PT6H","value":18}]},
    "skyCover":{"values":[{"validTime":"2026-11-21T12:00:00+00:00/P1DT6H","value":60}]},
    "quantitativePrecipitation":{"uom":"wmoUnit:mm","values":[
    {"validTime":"2026-11-21T12:00:00+00:00/PT6H","value":3}]},
    "weather":{"values":[
    {"validTime":"2026-11-21T13:00:00+00:00/PT1H","value":[
    {"weather":null},{"weather":"rain_showers","intensity":"light"}]}]}}}
    """

  static let nwsStations = """
    {"features":[{"geometry":{"coordinates":[0.055,51.505]},
    "properties":{"stationIdentifier":"EGLC"}}]}
    """

  static let nwsObservation = """
    {"properties":{"timestamp":"2026-11-21T11:50:00+00:00",
    "icon":"https://api.weather.gov/icons/land/day/ovc?size=medium",
    "temperature":{"unitCode":"wmoUnit:degC","value":11.5},
    "windSpeed":{"unitCode":"wmoUnit:km_h-1","value":18},
    "windGust":{"unitCode":"wmoUnit:km_h-1","value":null},
    "seaLevelPressure":{"unitCode":"wmoUnit:Pa","value":101250}}}
    """

  static let pirateWeather = """
    {"latitude":51.51,"longitude":-0.13,"timezone":"Europe/London","offset":0,
    "currently":{"time":1795262400,"icon":"light-rain","temperature":11.5,"humidity":0.81,
    "pressure":1012.5,"windSpeed":5,"windBearing":240,"cloudCover":0.75,"precipIntensity":0.2,
    "visibility":10},
    "hourly":{"data":[{"time":1795262400,"icon":"partly-cloudy-day","temperature":11.5,
    "precipIntensity":0.4,"precipProbability":0.3}]},
    "daily":{"data":[{"time":1795219200,"icon":"sleet","temperatureMin":6,"temperatureMax":12,
    "precipIntensity":0.1,"sunriseTime":1795246080,"sunsetTime":1795277040}]},
    "flags":{"units":"si","nearest-station":-999}}
    """

  static let openWeather = """
    {"cod":200,"dt":1795262400,"main":{"temp":284.65,"feels_like":283.15,"pressure":1002,
    "sea_level":1012.5,"grnd_level":1002,"humidity":81},"weather":[{"id":520},{"id":701}],
    "wind":{"speed":5,"deg":240,"gust":9},"clouds":{"all":75},"visibility":10000,
    "rain":{"1h":0.5},"sys":{"country":"GB","sunrise":1795246080,"sunset":1795277040}}
    """

  static let openWeatherForecast = """
    {"cod":"200","city":{"timezone":0},"list":[
    {"dt":1795230000,"main":{"temp":280.15},"weather":[{"id":804}],"wind":{"speed":3}},
    {"dt":1795240800,"main":{"temp":284.65},"weather":[{"id":500}],"rain":{"3h":1.5},"pop":0.4},
    {"dt":1795251600,"main":{"temp":286.15},"weather":[{"id":804}],"snow":{"3h":0.5}},
    {"dt":1795262400,"main":{"temp":285.15},"weather":[{"id":804}],"wind":{"speed":7}}]}
    """
}
