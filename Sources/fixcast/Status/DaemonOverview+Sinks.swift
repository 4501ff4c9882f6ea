// SPDX-License-Identifier: Apache-2.0

extension DaemonOverview {
  /// What is kept from the daemon's sinks, by what the daemon itself may know.
  struct Sinks: Equatable, Decodable {
    /// `nothing` or `reduced`.
    var get: String
    /// What it was told.
    var status: String?
    /// Which word decided.
    var by: String?
    /// The command or the file that changes it.
    var change: String?

    /// Labels and texts for people.
    var rows: [(String, String)] {
      let what = get == "reduced" ? "get reduced accuracy" : "get \(get)"
      var words = [what, status.map { "the daemon itself is \($0)" }].compactMap { $0 }
        .joined(separator: ": ")
      if let by { words += ", by \(by)" }
      return [("sinks", words)] + (change.map { [("", "change it: \($0)")] } ?? [])
    }
  }
}
