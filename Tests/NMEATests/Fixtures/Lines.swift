// SPDX-License-Identifier: Apache-2.0

import NMEA

/// Returns a sentence with `$` and checksum, but without a line ending.
func line(_ body: String) -> String { line([UInt8](body.utf8)) }

func line(_ body: [UInt8]) -> String {
  String(decoding: lineBytes(body), as: UTF8.self)
}

/// Returns a sentence from any bytes, with `$` and checksum but without a line ending.
func lineBytes(_ body: [UInt8]) -> [UInt8] {
  let sum = body.reduce(0, ^)
  let digits = Array("0123456789ABCDEF".utf8)
  return [0x24] + body + [0x2A, digits[Int(sum >> 4)], digits[Int(sum & 15)]]
}

/// Reads one sentence, given without `$` and checksum.
func read(_ body: String) -> Reading { Reading(line(body) + "\r\n") }

/// Returns a log with `#`, CRC and line ending.
func log(_ body: String) -> [UInt8] {
  var crc: UInt32 = 0
  for byte in body.utf8 {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
  let digits = String(crc, radix: 16)
  let zeros = String(repeating: "0", count: 8 - digits.count)
  return [UInt8]("#\(body)*\(zeros)\(digits)\r\n".utf8)
}

/// Reads one log, given without `#` and CRC.
func readLog(_ body: String) -> Reading { Reading(log(body)) }
