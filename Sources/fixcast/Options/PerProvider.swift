// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeatherClientLive

/// An option's value, optionally for one provider: `pirateweather=/etc/key`.
struct PerProvider: ExpressibleByArgument, Equatable {
  /// The provider's name; `nil` if the value has no name.
  var provider: String?
  var value: String

  /// Splits the text at its first `=` if only letters precede it, as in a provider's name.
  ///
  /// In a path or URL, a `/` or `:` precedes any `=`.
  init(argument text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0]
    if parts.count == 2, !name.isEmpty, name.allSatisfy({ $0.isASCII && $0.isLetter }) {
      (provider, value) = (String(name), String(parts[1]))
    } else {
      (provider, value) = (nil, text)
    }
  }
}

extension [PerProvider] {
  /// Throws if a value is empty or repeated, or its provider is ambiguous, unknown or not selected.
  ///
  /// `option` is the option's name in the errors. With `appliesToAll`, a value without a name
  /// applies to every provider.
  ///
  /// - Throws: `ValidationError` with the correct spelling.
  func check(_ option: String, selected: [String], appliesToAll: Bool = false) throws {
    for value in self {
      let text = value.provider.map { "\($0)=\(value.value)" } ?? value.value
      if value.value.isEmpty { throw ValidationError("\(option) \(text): the value is empty.") }
      if let name = value.provider {
        guard WeatherCatalog.provider(named: name) != nil else {
          throw ValidationError(
            "\(option) \(text): \(name) is not a provider; there are \(ProviderOptions.names).")
        }
        guard selected.contains(name) else {
          throw ValidationError(
            "\(option) \(text): \(name) is not selected; add --provider \(name).")
        }
      } else if selected.count > 1, !appliesToAll {
        throw ValidationError(
          "\(option) \(text): name the provider (\(selected.joined(separator: ", "))), such as "
            + "\(option) \(selected[0])=\(text).")
      }
      if count(where: { $0.provider == value.provider }) > 1 {
        throw ValidationError(
          "\(option) is given more than once"
            + (value.provider.map { " for \($0)." } ?? "; name the provider of each."))
      }
    }
  }

  /// Returns the value given for the provider, otherwise the value without a name.
  func value(for provider: String) -> String? {
    (first { $0.provider == provider } ?? first { $0.provider == nil })?.value
  }
}
