// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Plugins
internal import SystemSupport

/// The `--units` option, shared by the commands that print values for people.
struct UnitsOption: ParsableArguments {
  @Option(
    name: .long,
    help: """
      Units of values for people; JSON is always metric (default: from LC_ALL, LC_MEASUREMENT or \
      LANG).
      """)
  var units: UnitSystem?

  /// The units, and the time zone of `TZ`.
  var format: ValueFormat {
    ValueFormat(
      units: units ?? UnitSystem.ofLocale(DaemonLocator.variable), zone: .system)
  }
}

extension UnitSystem: ExpressibleByArgument {}
