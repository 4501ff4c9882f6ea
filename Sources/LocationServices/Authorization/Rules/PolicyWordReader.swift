// SPDX-License-Identifier: Apache-2.0

/// The words of a rule or of a command line, consumed one by one.
struct PolicyWordReader {
  private(set) var words: [String]
  /// The keys looked up so far, to suggest one for a misspelled key.
  private var knownKeys: [String] = []

  init(words: [String]) { self.words = words }

  /// Appends a word of a command line, on which a user needs no `user=` or `uid=`.
  ///
  /// - Throws: ``PolicySyntaxError`` if the word names no user, or could name two users.
  mutating func append(
    bareWord word: String, userID: (String) -> UInt32?
  ) throws(PolicySyntaxError) {
    guard !word.isEmpty, !word.contains("="), word != "everyone" else { return words.append(word) }
    let named = userID(word)
    let isNumber = word.utf8.allSatisfy { 48...57 ~= $0 }
    if isNumber, let named, UInt32(word) != named {
      throw PolicySyntaxError(
        "\(PolicySyntaxError.printable(word)) is both a user ID and the name of uid \(named); use "
          + "uid=\(word) or user=\(word)")
    }
    if isNumber { return words.append("uid=\(word)") }
    guard named != nil else { throw .unknownUser(word) }
    words.append("user=\(word)")
  }

  /// Removes and returns the value of `key=value`; `nil` if the key is missing.
  private mutating func take(_ key: String) throws(PolicySyntaxError) -> String? {
    knownKeys.append(key)
    let matches = words.indices.filter { words[$0].hasPrefix(key + "=") }
    guard matches.count <= 1 else { throw PolicySyntaxError("\(key)= is given twice") }
    guard let index = matches.first else { return nil }
    let value = String(words.remove(at: index).dropFirst(key.count + 1))
    guard !value.isEmpty else { throw PolicySyntaxError("\(key)= has no value") }
    return value
  }

  mutating func take<Value>(
    _ key: String, _ values: KeyValuePairs<String, Value>
  ) throws(PolicySyntaxError) -> Value? {
    guard let word = try take(key) else { return nil }
    guard let value = values.first(where: { $0.key == word })?.value else {
      throw PolicySyntaxError(
        unknown: word, kind: "not a value of \(key)=", known: values.map(\.key))
    }
    return value
  }

  mutating func takeDuration(_ key: String) throws(PolicySyntaxError) -> Int64? {
    guard let word = try take(key) else { return nil }
    guard let seconds = DurationText.seconds(word) else {
      throw PolicySyntaxError(
        "\(key)=\(PolicySyntaxError.printable(word)) is \(DurationText.fault(in: word) ?? "not a duration")"
      )
    }
    return seconds
  }

  mutating func takeSelector(
    userID: (String) -> UInt32?
  ) throws(PolicySyntaxError) -> ClientSelector {
    guard !words.contains(where: { $0.hasPrefix("app=") }) else {
      throw PolicySyntaxError("app= is no longer supported; use user= or unit=")
    }
    var selector = ClientSelector()
    if let index = words.firstIndex(of: "everyone") {
      words.remove(at: index)
      for key in ["uid", "user", "unit"] where try take(key) != nil {
        throw PolicySyntaxError("everyone and \(key)= exclude each other")
      }
      return selector
    }
    if let text = try take("uid") {
      // In the kernel, the highest number means no user.
      guard let number = UInt32(text), number != .max, text.first != "+" else {
        throw PolicySyntaxError("uid=\(PolicySyntaxError.printable(text)) is not a user ID")
      }
      selector.userID = number
    }
    if let name = try take("user") {
      guard selector.userID == nil else {
        throw PolicySyntaxError("uid= and user= exclude each other")
      }
      guard let number = userID(name) else {
        throw PolicySyntaxError("there is no user named \(PolicySyntaxError.printable(name))")
      }
      selector.userID = number
    }
    if let name = try take("unit") {
      guard UnitName.isValid(name), name.contains(".") else {
        throw PolicySyntaxError(
          "unit=\(PolicySyntaxError.printable(name)) is not a systemd unit name; use e.g. a.service"
        )
      }
      selector.systemUnit = name
    }
    guard selector != .everyone else { throw .missingSelector(words) }
    return selector
  }

  /// Throws an error if a word is left.
  func end() throws(PolicySyntaxError) {
    guard let word = words.first else { return }
    guard let key = word.split(separator: "=").first.map(String.init), word.contains("=") else {
      throw PolicySyntaxError(
        unknown: word, kind: "not known here", known: knownKeys.map { $0 + "=" } + ["everyone"])
    }
    guard !knownKeys.contains(key) else { throw PolicySyntaxError("\(key)= is given twice") }
    throw PolicySyntaxError(
      unknown: key + "=", kind: "not known here", known: knownKeys.map { $0 + "=" })
  }
}
