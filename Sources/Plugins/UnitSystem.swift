// SPDX-License-Identifier: Apache-2.0

/// The units of values that people read.
package enum UnitSystem: String, CaseIterable, Sendable {
  /// Kilometres, metres, km/h, m/s for wind, degrees Celsius, hectopascals, millimetres.
  case metric
  /// Miles, feet, mph, degrees Fahrenheit, inches of mercury, inches.
  case imperial
  /// Nautical miles and knots; otherwise as ``metric``.
  case nautical

  /// The units that follow when a user changes the units; metric follows the last.
  package var next: UnitSystem {
    switch self {
    case .metric: .imperial
    case .imperial: .nautical
    case .nautical: .metric
    }
  }

  /// Returns the units of the locale for measurements.
  ///
  /// The first non-empty variable of `LC_ALL`, `LC_MEASUREMENT` and `LANG` names the locale. The
  /// territories US, LR (Liberia) and MM (Myanmar) are imperial; all other locales are metric.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  /// - Returns: The units; metric if no variable is set.
  package static func ofLocale(_ variable: (String) -> String?) -> UnitSystem {
    let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"].lazy.compactMap(variable)
      .first { !$0.isEmpty }
    // A locale is `language_TERRITORY.codeset@modifier`.
    guard let locale, let mark = locale.firstIndex(of: "_") else { return .metric }
    let territory = locale[locale.index(after: mark)...].prefix { $0 != "." && $0 != "@" }
    return ["US", "LR", "MM"].contains(territory) ? .imperial : .metric
  }
}
