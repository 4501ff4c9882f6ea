// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The seed inputs for gpsd clients: the requests of known clients, and each kind of error.
enum GPSDSeeds {
  private static let all: [StaticString] = [
    "?WATCH={\"enable\":true,\"json\":true};\n", "?WATCH={\"enable\":true,\"nmea\":true};\n",
    "?WATCH={\"enable\":true,\"raw\":2,\"pps\":true};\n?DEVICES;\r\n",
    "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/ttyACM0\",\"scaled\":true}",
    "?WATCH={\"enable\":false,\"json\":false,\"timing\":false};", "?WATCH;?VERSION;?DEVICE;",
    "?WATCH={\"enable\":true}\n?POLL;\n", "?DEVICE={\"path\":\"/dev/ttyACM0\",\"bps\":9600};",
    "?WATCH={\"class\":\"WATCH\", \"nmea\":1, \"x\":{\"y\":[1,2,null]},\"split24\":0}",
    "?WATCH={\"device\":\"\\u00e9\\\"\\\\;?\"};", "?WATCH={\"enable\":true;?VERSION;",
    "?FOO=1;x?y\n",
  ]

  /// Writes each seed into a file; creates the folder if necessary.
  static func write(to folder: String) -> Bool {
    _ = mkdir(folder, 0o755)
    for (index, seed) in (all + all.prefix(1)).enumerated() {
      guard let file = fopen("\(folder)/seed-\(index)", "w") else { return false }
      // The first two bytes define the view and the lengths of the chunks, or a long beginning.
      fputc(0x3F, file)
      fputc(index < all.count ? 0x30 : 0xFF, file)
      seed.withUTF8Buffer { _ = fwrite($0.baseAddress, 1, $0.count, file) }
      guard fclose(file) == 0 else { return false }
    }
    return true
  }
}
