// SPDX-License-Identifier: Apache-2.0

/// Suggests a correction for a misspelled word.
package enum Spelling {
  /// The maximum length of a compared word: the time grows with the product of the lengths.
  private static let maxLength = 64

  /// Returns the most similar word, or `nil` if no word is similar.
  ///
  /// Two words are similar if at most one in three letters is wrong, if only the unit is missing
  /// (`interval` for `interval_seconds`), or if one word is an abbreviation of the other (`warn`
  /// for `warning`). Upper and lower case are equal, as are hyphens and underscores.
  package static func nearest(to word: String, in words: [String]) -> String? {
    guard !word.isEmpty, word.utf8.count <= maxLength else { return nil }
    let written = normal(word)
    var best: (word: String, distance: Int)?
    for candidate in words where candidate.utf8.count <= maxLength {
      let limit = max(1, min(written.count, candidate.utf8.count) / 3)
      let distance = distance(from: written, to: normal(candidate))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    if let best { return best.word }
    if let whole = words.first(where: { isShortened(written, normal($0)) }) { return whole }
    // Suggest nothing if the word is an abbreviation of several names.
    let matches = words.filter { isAbbreviated(written, normal($0)) }
    return matches.count == 1 ? matches.first : nil
  }

  /// Whether the shorter word has at least three letters and is the beginning of the longer word.
  private static func isAbbreviated(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (short, long) = one.count < other.count ? (one, other) : (other, one)
    return short.count >= 3 && long.starts(with: short)
  }

  /// Whether one word is the beginning of the other word up to an underscore.
  private static func isShortened(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (short, long) = one.count < other.count ? (one, other) : (other, one)
    return short.count >= 2 && long.starts(with: short + [UInt8(ascii: "_")])
  }

  private static func normal(_ word: String) -> [UInt8] {
    word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  }

  /// Returns the restricted Damerau-Levenshtein distance.
  static func distance(from one: [UInt8], to other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, counterpart) in other.enumerated() {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (letter == counterpart ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == counterpart {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}

/// Names that other programs use for the settings of Fixcast.
package enum Synonyms {
  private static let groups: [[String]] = [
    ["type", "kind", "driver", "class", "plugin", "sort", "mode"],
    ["device", "devnode", "tty", "path", "serial", "dev", "serial_port"],
    ["baud", "baud_rate", "speed", "bps", "rate", "bitrate"],
    ["host", "server", "address", "hostname", "ip"],
    ["file", "filename", "path", "output", "target", "destination", "database", "db"],
    ["command", "exec", "program", "executable", "cmd", "run", "script"],
    ["name", "id", "label", "title"],
    ["enabled", "active", "on", "disabled"],
    ["key", "api_key", "apikey", "token", "appid", "secret"],
    ["base_url", "url", "endpoint"],
    ["interval_seconds", "every", "period", "frequency"],
    ["keep_files", "backups", "rotate", "max_files", "count"],
    ["limit_bytes", "max_size", "size", "max_bytes"],
    ["state_directory", "state_dir", "data_dir", "directory"],
    ["log_level", "verbosity", "loglevel", "level"],
    ["socket", "listen", "bind"],
    ["source", "receiver", "receivers", "gps", "gnss", "input", "inputs", "gpsd", "serial_source"],
    ["sink", "output_sink", "outputs", "writer"],
    ["gate", "filter", "filters"],
    ["stage", "processor", "processors", "enrich"],
    ["weather", "forecast", "provider"],
    ["daemon", "service", "global", "agent", "general", "fixcast"],
  ]

  /// Returns the first of `names` with the same meaning as a word; `nil` if no name has it.
  package static func nearest(to word: String, in names: [String]) -> String? {
    let written = String(word.lowercased().map { $0 == "-" ? "_" : $0 })
    return names.first { name in
      groups.contains { $0.contains(written) && $0.contains(name) }
    }
  }
}

extension SettingKind {
  /// Whether the value is one of the words that the key accepts.
  func isChoice(_ value: SettingValue) -> Bool {
    guard case .choice = self, case .string = value else { return false }
    return problem(with: value, isSecret: false) == nil
  }
}
