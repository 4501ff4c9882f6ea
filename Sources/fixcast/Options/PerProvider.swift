// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeatherClientLive

/// The value of an option, for one provider where it names one: `pirateweather=/etc/key`.
struct PerProvider: ExpressibleByArgument, Equatable {
  /// The provider's name; `nil` where the value is for whichever is asked.
  var provider: String?
  var value: String

  /// Takes a text apart at its first `=`, where what stands before could be a name: a path or a URL
  /// with a `=` in it has a `/` or a `:` before.
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
  /// Fails where it is not clear for whom each value is.
  ///
  /// - Parameters:
  ///   - option: The option that they were given with.
  ///   - asked: The providers that are asked.
  ///   - goesForAll: Whether a value without a name is for every provider.
  /// - Throws: `ValidationError`, which says what to write.
  func check(_ option: String, asked: [String], goesForAll: Bool = false) throws {
    for value in self {
      let text = value.provider.map { "\($0)=\(value.value)" } ?? value.value
      if value.value.isEmpty { throw ValidationError("\(option) \(text): nothing is given.") }
      if let name = value.provider {
        guard WeatherCatalog.provider(named: name) != nil else {
          throw ValidationError(
            "\(option) \(text): \(name) is not a provider; there are \(ProviderOptions.names).")
        }
        guard asked.contains(name) else {
          throw ValidationError(
            "\(option) \(text): \(name) is not asked; add --provider \(name).")
        }
      } else if asked.count > 1, !goesForAll {
        throw ValidationError(
          "\(option) \(text): for which of \(asked.joined(separator: ", "))? Write it as "
            + "\(option) \(asked[0])=\(text).")
      }
      if count(where: { $0.provider == value.provider }) > 1 {
        throw ValidationError(
          "\(option) is given more than once"
            + (value.provider.map { " for \($0)." } ?? "; name the provider of each."))
      }
    }
  }

  /// What is for a provider: what names it, else what names none.
  func value(for provider: String) -> String? {
    (first { $0.provider == provider } ?? first { $0.provider == nil })?.value
  }
}
