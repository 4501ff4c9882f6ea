// SPDX-License-Identifier: Apache-2.0

/// Words that other programs have for a key, and people who know those write.
package enum Synonyms {
  /// Each group means one thing.
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

  /// The name that means the same as a word.
  ///
  /// - Parameters:
  ///   - word: What was written.
  ///   - names: What could have been.
  /// - Returns: The name; `nil` where none means the same.
  package static func nearest(to word: String, in names: [String]) -> String? {
    let written = String(word.lowercased().map { $0 == "-" ? "_" : $0 })
    return names.first { name in
      groups.contains { $0.contains(written) && $0.contains(name) }
    }
  }
}

extension SettingKind {
  /// Whether a value is one of the words that the key takes, under whatever name it was written.
  func isChoice(_ value: SettingValue) -> Bool {
    guard case .choice = self, case .string = value else { return false }
    return problem(with: value, isSecret: false) == nil
  }
}
