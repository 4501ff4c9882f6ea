// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML

/// The content of a GPX file, read by an independent XML parser.
struct GPXDocument {
  struct Malformed: Error {
    var line: Int
    var column: Int
  }

  /// The number of points in each segment of each track.
  var tracks: [[Int]] = []
  /// The texts of all elements by path, such as `gpx/trk/name`.
  var texts: [String: [String]] = [:]
  /// The attributes of the points.
  var positions: [[String: String]] = []
  /// The names of each point's elements, in order.
  var orders: [[String]] = []
  var attributes: [String: String] = [:]

  var points: Int { tracks.joined().reduce(0, +) }

  init(_ bytes: [UInt8]) throws {
    let reader = Reader()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = reader
    guard parser.parse() else {
      throw Malformed(line: parser.lineNumber, column: parser.columnNumber)
    }
    self = reader.document
  }

  init(contentsOf path: String) throws { try self.init(try Self.bytes(of: path)) }

  private init() {}

  static func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var document = GPXDocument()
    private var path: [String] = []
    private var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      path.append(name)
      text = ""
      switch path.joined(separator: "/") {
      case "gpx": document.attributes = attributes
      case "gpx/trk": document.tracks.append([])
      case "gpx/trk/trkseg": document.tracks[document.tracks.count - 1].append(0)
      case "gpx/trk/trkseg/trkpt":
        let track = document.tracks.count - 1
        document.tracks[track][document.tracks[track].count - 1] += 1
        document.positions.append(attributes)
        document.orders.append([])
      case "gpx/trk/trkseg/trkpt/\(name)":
        document.orders[document.orders.count - 1].append(name)
      default: break
      }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
      _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
      qualifiedName: String?
    ) {
      document.texts[path.joined(separator: "/"), default: []].append(text)
      path.removeLast()
      text = ""
    }
  }
}
