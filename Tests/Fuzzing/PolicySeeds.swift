// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What libFuzzer starts from where policy files are read: one of every rule, and of every mistake.
enum PolicySeeds {
  private static let all: [StaticString] = [
    "# who may know\nlock user=root\nallow everyone\n",
    "allow unit=weather.service level=when-in-use accuracy=reduced # the forecast\n",
    "allow uid=1000 unit=a.service\r\ndeny\tuid=1001\n", "allow uid=1000 app=map\n",
    "ask everyone timeout=1h30m then=deny\nask then=stay everyone\n",
    "alow everyone\n", "allow usr=pi\n", "allow everyone level=\n", "deny uid=4294967295\n",
    "ask everyone timeout=10\n", "allow uid=1 uid=2\n", "allow everyone uid=2\n",
  ]

  /// Writes each into a file of its own; the folder is made where there is none.
  static func write(to folder: String) -> Bool {
    _ = mkdir(folder, 0o755)
    for (index, seed) in all.enumerated() {
      guard let file = fopen("\(folder)/seed-\(index)", "w") else { return false }
      seed.withUTF8Buffer { _ = fwrite($0.baseAddress, 1, $0.count, file) }
      guard fclose(file) == 0 else { return false }
    }
    return true
  }
}
