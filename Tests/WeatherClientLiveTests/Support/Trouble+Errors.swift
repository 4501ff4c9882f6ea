// SPDX-License-Identifier: Apache-2.0

import WeatherClient

@testable import WeatherClientLive

extension Trouble {
  /// Whether a lookup in this trouble has to end with this error.
  func explains(_ error: WeatherError) -> Bool {
    switch (self, error) {
    case (.limited, .rateLimited(nil, nil)), (.limitedWithTime, .rateLimited(1700, nil)),
      (.busyWithTime, .rateLimited(5, nil)), (.oops, .badStatus(500, nil)),
      (.busy, .badStatus(503, nil)), (.notModified, .badStatus(304, nil)),
      (.empty, .malformed), (.html, .malformed), (.truncated, .malformed),
      (.circle, .network("redirected in circles")),
      (.cutOff, .network), (.resetAtOnce, .network), (.resetInside, .network),
      (.noHTTP, .network), (.hungUp, .network),
      (.wrongName, .untrusted("the certificate is for another name")):
      true
    // An answer without a grid means that the provider does not serve the place.
    case (.wrongTypes, .malformed), (.wrongTypes, .unsupported), (.nulls, .malformed),
      (.nulls, .unsupported), (.missingValues, .malformed), (.missingValues, .unsupported):
      true
    // OpenWeatherMap's status is a number in its answer.
    case (.missingValues, .badStatus(-999, nil)): true
    case (.large, .tooLarge(let limit)): limit == WeatherHTTP.maximumBytes
    case (.dripping, .timedOut(let seconds)): seconds == 15
    default: false
    }
  }
}
