// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Positioning
import Receivers

/// `fixcast decode [FILE|-]`: decodes NMEA into one JSON object per epoch.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode recorded NMEA into fixes and skies, one JSON object per line.",
    discussion: """
      Reads a log or, with - or without FILE, standard input. Prints gpsd's TPV and SKY objects, \
      without "time" if the log contains no date. Lines that begin with # are comments. Invalid \
      lines are counted; --verbose reports them.

      Exits 65 if nothing could be decoded, 66 if the file cannot be read.
      """)

  @Argument(help: "The log; - is standard input.")
  var file = "-"

  @Flag(name: .long, help: "Also accept sentences without a checksum.")
  var allowMissingChecksum = false

  @Flag(name: .shortAndLong, help: "Report what was read and what was invalid on standard error.")
  var verbose = false

  @Flag(name: .long, help: "Ignored; output is always JSON.")
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
        "\(input.name) contains no NMEA sentence with a valid checksum; \(counters.explanation)")
    }
  }
}
