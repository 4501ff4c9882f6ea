// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Positioning
import Receivers

/// `fixcast decode [FILE|-]`: decodes NMEA into one JSON object per epoch.
struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode recorded NMEA into fixes and skies, as JSON, or into a track.",
    discussion: """
      --format gpx, csv and geojson write the fixes with a position as a track.

      Reads a log or, with - or without FILE, standard input. Prints gpsd's TPV and SKY objects, \
      and ATT for headings, without "time" if the log contains no date. Lines that begin with # \
      are comments. Invalid lines are counted; --verbose lists the first 20 refused lines and the \
      first 20 invalid fields, with line, sentence, field, reason and bytes.

      Exits 65 if nothing could be decoded, and says why, 66 if the file cannot be read.

      Examples:
        fixcast decode track.nmea | jq -c 'select(.mode == 3) | [.lat, .lon]'
        zcat track.nmea.gz | fixcast decode
      """)

  @Argument(help: "The log; - is standard input.", completion: .file())
  var file = "-"

  @Flag(name: .long, help: "Also accept sentences without a checksum.")
  var allowMissingChecksum = false

  @Flag(name: .shortAndLong, help: "Report what was read and what was invalid on standard error.")
  var verbose = false

  @Option(name: .long, help: "Output format.")
  var format = DecodedFormat.jsonlines

  @Flag(name: .long, help: "Print JSON, which is the default.")
  var json = false

  /// The maximum number of refused lines that `--verbose` lists; also of invalid fields.
  private static let maxErrors = 20

  func validate() throws {
    if json, format != .jsonlines {
      throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
    }
  }

  func run() throws {
    var input = try InputFile(path: file)
    var survey = RecordingSurvey(allowsMissingChecksum: allowMissingChecksum)
    var head: [UInt8] = []
    try input.readAhead(while: !survey.isComplete) { bytes in
      if head.isEmpty {
        head = (0..<min(bytes.count, ForeignFileFormat.headBytes)).map { bytes[$0] }
      }
      survey.read(bytes)
    }
    var decoder = NMEADecoder(
      source: file == "-" ? nil : file, pace: .recorded,
      allowsMissingChecksum: allowMissingChecksum, survey: survey,
      maxErrors: verbose ? Self.maxErrors : 0)
    let printer = EventPrinter(device: file == "-" ? nil : file, format: format)
    try input.readChunks { bytes in
      decoder.decode(bytes, receivedAt: nil, deliver: printer.print)
    }
    decoder.finish(deliver: printer.print)
    try printer.flush()
    let counters = decoder.counters
    if verbose { report(decoder) }
    guard printer.hasPrinted else {
      let explanation = counters.explanation(
        of: ForeignFileFormat(head: head), file: file == "-" ? nil : file, isListed: verbose)
      throw CommandFailure.noData("\(input.name): nothing decoded: \(explanation)")
    }
  }

  /// Prints the first errors, the number of other errors, and the counters.
  private func report(_ decoder: NMEADecoder) {
    let (errors, counters) = (decoder.firstErrors, decoder.counters)
    for error in errors { StandardError.print(error) }
    // The lines that are cut off are only counted.
    let count = counters.errors &- counters.cutLines &+ counters.flawedFields
    if count > errors.count { StandardError.print("\(count - UInt64(errors.count)) more errors") }
    StandardError.print(counters.summary)
  }
}
