// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The seed inputs for policy files: each kind of rule and each kind of error.
enum PolicySeeds {
  private static let all: [StaticString] = [
    "# who may know\nlock user=root\nallow everyone\n",
    "allow unit=weather.service level=when-in-use accuracy=reduced # the forecast\n",
    "allow uid=1000 unit=a.service\r\ndeny\tuid=1001\n", "allow uid=1000 app=map\n",
    "ask everyone timeout=1h30m then=deny\nask then=stay everyone\n",
    "alow everyone\n", "allow usr=pi\n", "allow everyone level=\n", "deny uid=4294967295\n",
    "ask everyone timeout=10\n", "allow uid=1 uid=2\n", "allow everyone uid=2\n",
  ]

  /// Writes each seed into a file; creates the folder if necessary.
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
