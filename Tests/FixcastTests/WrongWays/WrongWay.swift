// SPDX-License-Identifier: Apache-2.0

import Testing

/// A command, and what has to follow.
///
/// `BOARD` stands for the folder of the test, which contains the files that ``WrongWayTests`` writes.
struct WrongWay: CustomTestStringConvertible, Sendable {
  /// What the user did.
  var description: String
  var arguments: [String]
  /// The exit status.
  var status: Int32
  /// A part of the last line of the output.
  var line: String
  /// The contents of `BOARD/c.toml`.
  var configuration = ""
  /// The contents of the board's own configuration file.
  var boardConfiguration = ""

  var testDescription: String { description }

  init(
    _ description: String, _ command: String, _ status: Int32, _ line: String,
    configuration: String = "", boardConfiguration: String = ""
  ) {
    self.init(
      description, command.split(separator: " ").map(String.init), status, line,
      configuration: configuration, boardConfiguration: boardConfiguration)
  }

  /// Creates a row whose arguments contain spaces or are empty.
  init(
    _ description: String, _ arguments: [String], _ status: Int32, _ line: String,
    configuration: String = "", boardConfiguration: String = ""
  ) {
    self.description = description
    self.arguments = arguments
    self.status = status
    self.line = line
    self.configuration = configuration
    self.boardConfiguration = boardConfiguration
  }

  /// Creates a row for a configuration file with an error.
  init(checking description: String, _ configuration: String, _ status: Int32, _ line: String) {
    self.init(
      description, "check-config BOARD/c.toml", status, line, configuration: configuration)
  }

  static let all = [commands, sources, files, places, configurations, decisions].flatMap(\.self)

  private static let commands = [
    WrongWay("misspelt a command", "locat", 64, "did you mean: fixcast locate"),
    WrongWay("asked for help about a misspelt command", "help locat", 64, "fixcast locate"),
    WrongWay("tried to start the service", "start", 64, "sudo systemctl start fixcast"),
    WrongWay("typed version without dashes", "version", 0, "0.1.0"),
    WrongWay("typed -V for the version", "-V", 0, "0.1.0"),
    WrongWay("misspelt an option", "devices --wach", 64, "did you mean '--watch'?"),
    WrongWay("gave a flag a value", "locate --json=1", 64, "see: fixcast locate --help"),
    WrongWay("gave a negative timeout", "locate --timeout -5", 64, "1 to 3600 seconds, not -5"),
    WrongWay("gave a timeout in words", "locate --timeout soon", 64, "in seconds, 1 to 3600"),
    WrongWay("gave a negative speed", "simulate --speed -1", 64, "use 0 to 515"),
    WrongWay("gave a rate of zero", "simulate --hz 0", 64, "use 1 to 25"),
    WrongWay("gave a negative pace", "replay x --speed -1", 64, "0.001 to 100000, or max, not -1"),
    WrongWay("gave a negative run time", "watch --seconds -1", 64, "takes 1 to 86400, not -1"),
    WrongWay("used an option of another command", "demo --duration -3", 64, "fixcast demo --help"),
    WrongWay(
      "named unknown units", "locate --units parsecs", 64,
      "; use one of 'metric', 'imperial' or 'nautical'; see: fixcast locate --help"),
    WrongWay(
      "named an unknown scene", "demo --scene x", 64, "failed-weather, slow-weather, or list"),
    WrongWay(
      "turned the weather off and named a provider", "watch --no-weather --provider openmeteo", 64,
      "cannot be combined with --provider"),
    WrongWay(
      "invented an option of locate", "locate --max-age 60", 64,
      "unknown option '--max-age'; see: fixcast locate --help"),
    WrongWay(
      "invented an option of watch", "watch --interval 5", 64,
      "unknown option '--interval'; see: fixcast watch --help"),
    WrongWay("asked for the status without a daemon", "status", 69, "start it with: sudo systemctl start fixcast"),
    WrongWay(
      "asked for the last position without a daemon", "locate --last", 69,
      "start the daemon: sudo systemctl start fixcast"),
    WrongWay(
      "asked for the weather at the last position without a daemon", "weather --last", 69,
      "start the daemon: sudo systemctl start fixcast"),
  ]

  private static let sources = [
    WrongWay(
      "named a device that is not plugged in", "locate --source /dev/ttyUSB9", 69,
      "plug the receiver in, then list the devices: fixcast devices"),
    WrongWay(
      "named the device without --source", "locate /dev/ttyUSB9", 69,
      "/dev/ttyUSB9: open: No such file or directory (errno 2); plug the receiver in"),
    WrongWay("left out /dev/", "locate ttyUSB9", 64, "try /dev/ttyUSB9"),
    WrongWay(
      "wrote a baud rate in letters", "locate --source serial:gps@fast", 64,
      "try serial:/dev/gps@9600"),
    WrongWay(
      "wrote a baud rate in letters after a devnode", "locate /dev/gps@fast", 69,
      "after @, only a baud rate such as 9600 can follow"),
    WrongWay("wrote a baud rate of zero", "locate /dev/ttyUSB9@0", 64, "greater than 0, e.g. 9600"),
    WrongWay("named no known source", "watch --source usb", 64, "gpsd, simulated or replay:FILE"),
    WrongWay(
      "gave an empty source", ["locate", "--source", ""], 64, "\"\": not a source; try auto,"),
    WrongWay(
      "named a gpsd that does not run", "locate --source gpsd:localhost:1", 69,
      "start gpsd: sudo systemctl start gpsd.socket gpsd"),
    WrongWay(
      "named a port that does not exist", "locate --source gpsd:localhost:99999", 64,
      "a port from 1 to 65535; try gpsd:localhost:2947"),
    WrongWay(
      "configured a device that is not plugged in", "locate", 69,
      "/dev/ttyUSB9: open: No such file or directory (errno 2); plug the receiver in",
      boardConfiguration: "[[source]]\ntype = \"serial\"\ndevice = \"/dev/ttyUSB9\"\n"),
  ]

  private static let files = [
    WrongWay("decoded a missing file", "decode BOARD/none", 66, "directory; check the name"),
    WrongWay("decoded a folder", "decode BOARD", 66, "Is a directory; specify a file"),
    WrongWay("decoded an empty file", "decode BOARD/empty.nmea", 65, "empty; give a recorded log"),
    WrongWay("decoded nothing", "decode", 65, "it is empty; give a recorded log"),
    WrongWay("decoded notes", "decode BOARD/notes.txt", 65, "text without NMEA, whose lines begin"),
    WrongWay(
      "decoded a compressed log", "decode BOARD/log.nmea.gz", 65, "zcat < BOARD/log.nmea.gz"),
    WrongWay("decoded UTF-16", "decode BOARD/log.txt", 65, "iconv -f UTF-16 -t UTF-8"),
    WrongWay("decoded a binary log", "decode BOARD/log.ubx", 65, "gpsdecode reads those"),
    WrongWay("decoded two logs", "decode a b", 64, "unexpected argument 'b'"),
    WrongWay(
      "asked for KML", "decode BOARD/log.txt --format kml", 64,
      "; use one of 'jsonlines', 'gpx', 'csv' or 'geojson'"),
    WrongWay("replayed a missing log", "locate replay:BOARD/none", 66, "check the name"),
    WrongWay("replayed a folder", "locate --source replay:BOARD", 66, "specify a file"),
    WrongWay("replayed notes", "replay BOARD/notes.txt --speed max", 65, "give a recorded log"),
    WrongWay("simulated a missing route", "simulate --route BOARD/none", 66, "check the name"),
    WrongWay("simulated notes", "simulate --route BOARD/notes.txt", 65, "no track points (trkpt)"),
    WrongWay("exported notes", "track export BOARD/notes.txt", 65, "a sqlite or gpx sink"),
    WrongWay("exported without a sink", "track export", 78, "fixcast track export FILE"),
    WrongWay(
      "exported since yesterday", "track export x --since yesterday", 64,
      "such as 2026-11-21 or 2026-11-21T12:00:00Z"),
  ]

  /// The closed port keeps the lookups of valid places on the board.
  private static let url = ["--weather-url", "http://127.0.0.1:1"]
  private static let notReached = "Connection refused; see: fixcast doctor"

  private static let places = [
    WrongWay("copied a coordinate", ["weather", "54.32,", "10.13"] + url, 69, notReached),
    WrongWay(
      "wrote degrees and minutes", ["weather", "54°19'N 10°8'E"] + url, 69, notReached),
    WrongWay("named a town", ["weather", "Kiel"] + url, 69, notReached),
    WrongWay("named a town and its country", ["weather", "Kiel, Germany"] + url, 69, notReached),
    WrongWay("named a town in another language", ["weather", "Москва"] + url, 69, notReached),
    WrongWay("left out the decimals", "weather 91,10", 64, "91.0 is not a latitude (-90 to 90)"),
    WrongWay(
      "wrote a decimal comma", "weather 54,32", 64, "54,32 is ambiguous: type 54.0,32.0"),
    WrongWay(
      "swapped latitude and longitude", "weather 154.32,10.13", 64,
      "if it is the longitude, type 10.13,154.32"),
    WrongWay("named no town", "weather Xyzzyville", 64, "type a coordinate such as 54.32,10.13"),
    WrongWay("named an unknown provider", "weather --provider x", 64, "openmeteo, metnorway, nws"),
    WrongWay("gave a negative limit", "weather --daily-limit -1", 64, "100000 requests, not -1"),
    WrongWay(
      "gave an FTP server", "weather --weather-url ftp://x", 64, "a URL with http:// or https://"),
  ]

  private static let configurations = [
    WrongWay("checked a missing file", "check-config BOARD/none", 66, "check the name"),
    WrongWay("started with a missing file", "run --config BOARD/none", 66, "check the name"),
    WrongWay(checking: "set an unknown key", "x = 1\n", 78, "fixcast check-config --reference"),
    WrongWay(
      checking: "misspelt a key", "[weather]\nprovider = \"openmeteo\"\n", 78,
      "did you mean \"providers\"?"),
    WrongWay(
      checking: "wrote a number in quotes",
      "[[source]]\ntype = \"serial\"\ndevice = \"/dev/ttyUSB0\"\nbaud = \"9600\"\n", 78,
      "expected a whole number from 300 to 4000000, got text in quotes"),
    WrongWay(checking: "forgot a bracket", "[[sink]\n", 78, "the header must end with ]]"),
    WrongWay(
      checking: "used an unknown sink", "[[sink]]\ntype = \"influx\"\n", 78,
      "expected one of \"chrony\", \"exec\", "),
    WrongWay(
      checking: "left out the file", "[[sink]]\ntype = \"gpx\"\n", 78, "\"file\" is missing"),
    WrongWay(
      checking: "wrote a home folder", "[[sink]]\ntype = \"gpx\"\nfile = \"~/track.gpx\"\n", 78,
      "write \"/var/lib/fixcast/track.gpx\""),
    WrongWay(
      checking: "wrote a secret into a file that all may read",
      "[[sink]]\ntype = \"exec\"\ncommand = [\"/bin/true\"]\nenvironment = [\"API_KEY=1\"]\n", 78,
      "name that file in environment_files"),
    WrongWay(
      checking: "added a stage and kept the default plan",
      "[[stage]]\ntype = \"exec\"\ncommand = [\"/bin/true\"]\n", 0,
      "plugins: stage place, gate reachability, stage weather, stage "),
  ]

  private static let decisions = [
    WrongWay("allowed nobody", "auth allow", 64, "use everyone, uid=, user= or unit="),
    WrongWay("allowed an unknown user", "auth allow nobody-here", 64, "use a user's name, uid=,"),
    WrongWay("wrote an unknown selector", "auth allow x=y", 64, "user= or unit=, not 'x=y'"),
    WrongWay("named a unit without its type", "auth allow unit=x", 64, "use e.g. a.service"),
    WrongWay("misspelt allow", "auth alow pi", 64, "pending, allow, deny, reset, explain"),
    WrongWay(
      "gave a negative duration", "auth allow uid=99 --for -3", 64,
      "--for -3: not a duration; use e.g. 90s, 10m, 2h or 7d"),
  ]
}
