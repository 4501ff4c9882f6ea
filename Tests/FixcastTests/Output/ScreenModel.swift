// SPDX-License-Identifier: Apache-2.0

/// A terminal emulator for the control sequences that the live view may use.
struct ScreenModel {
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var isCursorVisible = true
  private(set) var showsAlternateScreen = false
  /// Unexpected control sequences, and characters beyond the last column.
  private(set) var unexpectedOutput: [String] = []
  private(set) var colors: Set<String> = []
  /// The cells of the alternate screen.
  private var cells: [[Character]] = []
  private var (row, column) = (0, 0)
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    resize(columns: columns, rows: rows)
  }

  /// The visible lines, without trailing spaces.
  var lines: [String] {
    cells.map { cells in
      var line = String(cells)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Changes the size and keeps the content that fits.
  mutating func resize(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    let blank = [Character](repeating: " ", count: columns)
    cells = (0..<rows).map { row in
      row < cells.count ? Array((cells[row] + blank).prefix(columns)) : blank
    }
  }

  /// Interprets output of the program.
  mutating func process(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    // An incomplete character or sequence is kept until the next call.
    var completeCount = pending.count
    if let escape = pending.lastIndex(of: 0x1B),
      !pending[escape...].dropFirst(2).contains(where: { 0x40...0x7E ~= $0 })
    {
      completeCount = escape
    } else if let lead = pending.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
      let length = pending[lead] >= 0xF0 ? 4 : pending[lead] >= 0xE0 ? 3 : 2
      if lead + length > pending.count { completeCount = lead }
    }
    let text = String(decoding: pending[..<completeCount], as: UTF8.self)
    pending.removeFirst(completeCount)
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\u{1B}" else {
        put(Character(scalar))
        continue
      }
      let sequence = rest.prefix { !("@"..."~" ~= $0) || $0 == "[" }
      rest.removeFirst(sequence.count)
      let final = rest.popFirst().map(String.init) ?? ""
      execute(String(String.UnicodeScalarView(sequence)) + final)
    }
  }

  private mutating func put(_ character: Character) {
    guard showsAlternateScreen else { return }
    guard row < rows, column < columns, character >= " " else {
      unexpectedOutput.append("\(character.debugDescription) at \(row), \(column)")
      return
    }
    cells[row][column] = character
    column += 1
  }

  private mutating func execute(_ sequence: String) {
    switch sequence {
    case "[?1049h": showsAlternateScreen = true
    case "[?1049l": showsAlternateScreen = false
    case "[?25h": isCursorVisible = true
    case "[?25l": isCursorVisible = false
    case "[K": erase(row)
    case "[J":
      erase(row)
      for row in (row + 1)..<max(rows, row + 1) { cells[row] = cells[row].map { _ in " " } }
    case _ where sequence.hasSuffix("m"): if sequence != "[0m" { colors.insert(sequence) }
    case _ where sequence.hasSuffix("H"):
      let numbers = sequence.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
      if numbers.count == 2 { (row, column) = (numbers[0] - 1, numbers[1] - 1) }
    default: unexpectedOutput.append("ESC \(sequence)")
    }
  }

  private mutating func erase(_ row: Int) {
    guard row < rows else { return }
    for index in min(column, columns)..<columns { cells[row][index] = " " }
  }
}
