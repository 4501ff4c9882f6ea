// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import Positioning

/// Tests the requests of one gpsd client that libFuzzer has generated.
///
/// - Parameters:
///   - data: The bytes; may be `nil` if `count` is 0. The first byte defines the view, and the
///     second the lengths of the chunks or, if it is 255, the beginning of a request that is almost
///     too long.
///   - count: The number of bytes.
/// - Returns: Always 0, so that libFuzzer may add the input to its corpus.
func testOneGPSDClient(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let data, count > 2 else { return 0 }
  var bytes = data[1] == .max ? almostTooLong : []
  bytes += UnsafeBufferPointer(start: data + 2, count: count - 2)
  let chunks = chunks(of: bytes, step: Int(data[1]))
  scan(bytes, chunks)
  serve(chunks, view(data[0]))
  return 0
}

private let almostTooLong =
  Array("?WATCH={\"device\":\"".utf8)
  + [UInt8](repeating: UInt8(ascii: "x"), count: GPSDRequestScanner.maxBytes - 40)

/// Splits the input into chunks of 1 to 256 bytes.
private func chunks(of bytes: [UInt8], step: Int) -> [[UInt8]] {
  var chunks: [[UInt8]] = []
  var start = 0
  while start < bytes.count {
    let length = min(1 + (step + Int(bytes[start])) & 0xFF, bytes.count - start)
    chunks.append(Array(bytes[start..<start + length]))
    start += length
  }
  return chunks
}

/// Scans the input in one piece and in chunks, which must have the same result.
private func scan(_ bytes: [UInt8], _ chunks: [[UInt8]]) {
  var whole = GPSDRequestScanner()
  var pieces = GPSDRequestScanner()
  var input = bytes[...]
  for chunk in chunks {
    var chunk = chunk[...]
    while let element = pieces.next(from: &chunk) {
      check(element == whole.next(from: &input))
      if case .request(let request) = element {
        check(request.count <= GPSDRequestScanner.maxBytes && request.first == UInt8(ascii: "?"))
      }
    }
  }
  check(whole.next(from: &input) == nil && input.isEmpty)
  check(whole.pendingByteCount == pieces.pendingByteCount)
  check(whole.pendingByteCount <= GPSDRequestScanner.maxBytes)
}

/// Answers the requests and sends reports to the client.
private func serve(_ chunks: [[UInt8]], _ view: GPSDView) {
  let version = GPSDVersion(
    release: "3.22", protocolMajor: 3, protocolMinor: 14, revision: "fixcast 1")
  var session = GPSDSession(version: version)
  for chunk in chunks { checkLines(session.receive(chunk, view)) }
  let fix = session.frame(of: view.fix ?? Fix(mode: .threeDimensional), now: nil)
  let sky = session.frame(of: view.sky ?? SkyView())
  for frame in [fix, sky] {
    checkLines(frame ?? [])
    check(frame == nil || session.wantsJSON)
  }
  // A client can always end an incomplete request and send another request, unless it speaks HTTP.
  checkLines(session.receive(Array("\n;".utf8), view))
  let answer = session.receive(Array("?VERSION;".utf8), view)
  check(answer == (session.isHTTP ? [] : GPSDSession.greeting(version)))
}

private let beginning = Array("{\"class\":\"".utf8)
private let end = Array("}\r".utf8)[...]

/// Checks that the bytes are complete lines with an object each, as libgps requires.
private func checkLines(_ bytes: [UInt8]) {
  guard !bytes.isEmpty else { return }
  check(bytes.last == UInt8(ascii: "\n") && bytes.count <= 9 * 10_240)
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    check(line.count < 10_240 && line.starts(with: beginning) && line.suffix(2) == end)
    // A control character is escaped, so the only one is the carriage return.
    check(line.firstIndex { $0 < 0x20 } == line.endIndex - 1)
  }
}

/// Makes a view, of which the bits of `flags` choose the contents.
private func view(_ flags: UInt8) -> GPSDView {
  var view = GPSDView()
  let time = UTCTime(secondsSince1970: 1_795_262_400)
  if flags & 1 != 0 {
    var fix = Fix(mode: .threeDimensional)
    fix.source = "/dev/ttyACM0"
    fix.time = time
    if flags & 2 != 0 { fix.coordinate = Coordinate(latitudeDegrees: 48.1, longitudeDegrees: 11.5) }
    fix.headingDegreesTrue = flags & 4 != 0 ? 12.5 : nil
    view.fix = fix
  }
  if flags & 8 != 0 {
    var satellite = Satellite(id: SatelliteID(system: .gps, number: flags), rawNumber: 4)
    satellite.elevationDegrees = -12.5
    satellite.isUsed = flags & 16 != 0
    view.sky = SkyView(satellites: [satellite])
  }
  if flags & 32 != 0 {
    var receiver = ReceiverInfo(name: "/dev/ttyACM0", isActive: flags & 64 != 0)
    receiver.baud = 9600
    view.devices = [GPSDDevice](
      repeating: GPSDDevice(receiver, activated: time), count: Int(flags & 7))
  }
  view.now = flags & 128 != 0 ? time : nil
  return view
}
