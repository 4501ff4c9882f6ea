// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A command of a console block: the text after `$ `, split at `&&` and `|`.
struct DocumentedCommand: Sendable, CustomTestStringConvertible {
  /// The document and the line number of the block.
  let place: String
  /// The words, without `sudo`, quotes, and a trailing comment (three spaces, then `#`).
  let words: [String]

  var testDescription: String { "\(place): \(words.joined(separator: " "))" }

  /// The program, such as `fixcast` or `make`.
  var program: String { words.first ?? "" }

  /// The commands of all documents, in order.
  static let all: [DocumentedCommand] = Document.all.flatMap(commands)

  /// The `fixcast` commands.
  static var ofProgram: [DocumentedCommand] { all.filter { $0.program == "fixcast" } }

  static func commands(of document: Document) -> [DocumentedCommand] {
    document.blocks(of: "console").flatMap { block in
      let place = "\(document.path):\(block.line)"
      return lines(of: block.text).flatMap { line in
        segments(of: line).map { words in DocumentedCommand(place: place, words: words) }
      }
    }
  }

  /// Returns the lines after a prompt, without the text of here-documents.
  static func lines(of text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { line in
      String(line.dropFirst(2).components(separatedBy: "   #")[0])
    }
  }

  /// Returns the words of each command of a line, split as in a shell, without redirections.
  static func segments(of line: String) -> [[String]] {
    let words = split(line)
    let segments = words.split { ["&&", "|", "&"].contains($0) }.map { $0.filter { !$0.isEmpty } }
    return segments.map { segment in
      let command = segment.prefix { !$0.hasPrefix("<<") && $0 != ">" }
      return Array(command.drop { $0 == "sudo" })
    }
  }

  /// Splits a line at spaces outside quotes, then removes the quotes.
  static func split(_ line: String) -> [String] {
    var (words, word, quote, isWord) = ([String](), "", Character?.none, false)
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "'" || character == "\"" {
        (quote, isWord) = (character, true)
      } else if character == " " {
        if isWord { words.append(word) }
        (word, isWord) = ("", false)
      } else {
        word.append(character)
        isWord = true
      }
    }
    return isWord ? words + [word] : words
  }
}
