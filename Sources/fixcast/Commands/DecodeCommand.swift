// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Positioning
import Receivers

/// `fixcast decode [FILE|-]`: NMEA in, one object an epoch out.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Turn recorded NMEA into fixes and skies, one JSON object a line.",
    discussion: """
      Reads a log or, with - or nothing, standard input. Prints gpsd's objects TPV and SKY; without \
      "time" where the log states no date. Lines that begin with # are comments. Bad lines are \
      counted and reported with --verbose.

      Exits 65 where nothing could be decoded, 66 where the file cannot be read.
      """)

  @Argument(help: "The log; - is standard input.")
  var file = "-"

  @Flag(name: .long, help: "Read sentences without a checksum too.")
  var allowMissingChecksum = false

  @Flag(name: .shortAndLong, help: "Say on standard error what was read and what was wrong.")
  var verbose = false

  @Flag(name: .long, help: "Accepted for the sake of uniformity: the output is always JSON.")
  var json = false

  func run() throws {
    var input = try InputFile(path: file)
    var survey = RecordingSurvey(allowsMissingChecksum: allowMissingChecksum)
    try input.readAhead(while: !survey.isComplete) { survey.read($0) }
    var decoder = NMEADecoder(
      source: file == "-" ? nil : file, pace: .recorded,
      allowsMissingChecksum: allowMissingChecksum, survey: survey)
    let printer = EventPrinter(device: file == "-" ? nil : file)
    try input.readChunks { bytes in
      decoder.decode(bytes, receivedAt: nil, deliver: printer.print)
    }
    decoder.finish(deliver: printer.print)
    try printer.flush()
    let counters = decoder.counters
    if verbose { StandardError.print(counters.summary) }
    guard counters.sentences > 0 else {
      throw CommandFailure.noData(
        "\(input.name) holds no NMEA sentence with a right checksum; \(counters.explanation)")
    }
  }
}
