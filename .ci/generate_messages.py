#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of all errors and warnings into the Messages article.

Every string literal in Sources with at least two words is regarded as a message, so that no new
message can be forgotten. The exceptions, of which `--counts` prints the numbers, are:

- file: `.ci/messages.tsv` has the file or folder below the heading `Not read`, with the reason;
- label: the literal is the value of a label, call or name in LABELS, such as `help:`;
- fragment: it begins with punctuation or a blank, so it only continues another message;
- sql: it is a statement or a column of a database.

Literals joined by `+` are one message. An interpolated name becomes a placeholder in capitals. Any
other interpolated expression becomes `...`, and so does a name directly after a letter.

`.ci/messages.tsv` has the cause and the remedy of each message, separated by tabs, below the headings
of the article. A line without tabs has the cause and the remedy of the next line with tabs. In a row
with at least eight small letters, `...` matches any text. If several rows match a message, a row
without `...` wins, then the longest row. Rows below a heading that begins with `Not listed` name
texts that are not errors or warnings.
"""
import argparse
import collections
import pathlib
import re
import sys

TABLE, ARTICLE = ".ci/messages.tsv", "Sources/fixcast/fixcast.docc/Messages.md"
BEGIN, END = "<!-- messages: begin -->\n", "<!-- messages: end -->\n"

# Labels, calls and names whose literal is not a message.
LABELS = "ArgumentHelp abstract advice debugDescription discussion help licence purpose remedy summary"
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|ALTER|BEGIN|INTEGER|REAL)\b|received_utc")
NAME = re.compile(r"(?:[A-Za-z_]\w*[.?!]+)*([a-z]\w*)")


def literals(source):
    """Yields (start, end, text) of each string literal, with placeholders, outermost ones first."""
    found = []

    def string(i):
        start = i
        while source[i] == "#":
            i += 1
        hashes = "#" * (i - start)
        quote = '"""' if source.startswith('"""', i) else '"'
        i, text, escape, end = i + len(quote), "", "\\" + hashes, quote + hashes
        while not source.startswith(end, i):
            if source.startswith(escape + "(", i):
                begin, i = i + len(escape) + 1, code(i + len(escape) + 1, nested=True)
                text += "..." if text[-1:].isalnum() else placeholder(source[begin:i - 1])
            elif source.startswith(escape, i):
                i += len(escape) + 1
                text += "\n" if source[i - 1] in "nrt0\n" else source[i - 1]
            else:
                text += source[i]
                i += 1
        found.append((start, i + len(end), " ".join(text.split()) if quote == '"""' else text))
        return i + len(end)

    def code(i, nested=False):
        depth = 0
        while i < len(source):
            if source.startswith("//", i):
                i = (source.find("\n", i) + 1) or len(source)
            elif source[i] == '"' or re.match(r'#+"', source[i:i + 4]):
                i = string(i)
            else:
                depth += {"(": 1, ")": -1}.get(source[i], 0)
                i += 1
                if nested and depth < 0:
                    return i
        return i

    code(0)
    return sorted(found)


def placeholder(expression):
    name = NAME.fullmatch(expression.strip())
    if not name or len(name[1]) < 3 or name[1] in ("text", "description", "rawValue"):
        return "..."
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name[1].removeprefix("st_"))
    return words.upper()


def kind_of(text, before):
    """Returns the kind of a literal that follows the source text `before`, such as `message`."""
    label = re.search(r"(\w+)(: | = |:\s+|\()\s*$", before)
    if " " not in text.strip() or not re.search(r"[a-z]{2}|[A-Z]{3}.*: .*(\.{3}|[A-Z]{3})", text):
        return "one word"
    if label and label[1] in LABELS.split():
        return "label"
    return "sql" if SQL.search(text) else "fragment" if text[0] in " ,;:(+?" else "message"


def messages(root, skipped, counts):
    """Returns {message: files} of all sources."""
    found = collections.defaultdict(set)
    for file in sorted((root / "Sources").rglob("*.swift")):
        path = file.relative_to(root / "Sources")
        source = file.read_text()
        joined, last = [], None  # `last` is the last literal that is not inside another one
        for start, end, text in literals(source):
            if last and re.fullmatch(r"\s*\+\s*", source[last[1]:start]):
                last[1:] = end, last[2] + text
                continue
            joined.append([start, end, text])
            if not last or start >= last[1]:
                last = joined[-1]
        for start, _, text in joined:
            kind = kind_of(text, source[max(0, start - 100):start])
            if kind != "one word" and any(str(part) in skipped for part in [path, *path.parents]):
                kind = "file"
            counts[kind] += 1
            if kind == "message":
                text = re.sub(r"\n+", " ", text.strip("\n")) + ("..." if text[-1] == " " else "")
                text = re.sub(r"([^.]|\.{3})\.$", r"\1", text)
                found[text].add(str(path))
    return found


def rows(text):
    """Returns [heading, message, cause, remedy] of each row, and {path: reason} of the files not read."""
    result, skipped, heading, waiting = [], {}, None, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        message, *rest = line.split("\t")
        if line.startswith("# ") or not line:
            heading = line[2:] or heading
            if waiting:
                sys.exit(f"{TABLE}:{number - 1}: no cause and remedy")
        elif heading == "Not read":
            skipped[message] = rest[0]
        else:
            result.append([heading, message, None, None])
            if heading.startswith("Not listed"):
                continue
            waiting.append(result[-1])
            if len(rest) not in (0, 2):
                sys.exit(f"{TABLE}:{number}: expected a message, a cause and a remedy")
            while rest and waiting:
                waiting.pop()[2:] = rest
    return result, skipped


def match_rows(found, table):
    """Returns the row of each message, and the errors: messages without a row, rows without a message."""
    patterns = []
    for row in table:
        parts = row[1].split("...") if len(re.findall("[a-z]", row[1])) >= 8 else [row[1]]
        patterns.append((re.compile(".*".join(map(re.escape, parts))), row))
    patterns.sort(key=lambda each: ("..." in each[1][1], -len(each[1][1].replace("...", ""))))
    result, errors, used = {}, [], set()
    for text, files in sorted(found.items()):
        row = next((row for pattern, row in patterns if pattern.fullmatch(text)), None)
        if row is None:
            errors.append(f"{min(files)}: no row in {TABLE} for: {text}")
        else:
            result[text] = row
            used.add(id(row))
    errors += [f"{TABLE}: no message matches: {row[1]}" for row in table if id(row) not in used]
    return result, errors


def article(old, rows_of, table):
    (head, rest), parts = old.split(BEGIN), []
    for heading in dict.fromkeys(row[0] for row in table if row[2]):
        parts.append(f"## {heading}\n\n| message | cause | remedy |\n|---|---|---|\n")
        chosen = [text for text, row in rows_of.items() if row[0] == heading]
        for text in sorted(chosen, key=lambda text: (text.lower().lstrip('".'), text)):
            row = rows_of[text]
            tick, text = "``" if "`" in text else "`", text.replace("|", "\\|")
            parts.append(f"| {tick}{text}{tick} | {row[2]} | {row[3]} |\n")
        parts.append("\n")
    return head + BEGIN + "\n" + "".join(parts) + END + rest.split(END)[1]


def main():
    parser = argparse.ArgumentParser(description="Write the table of all messages into the article.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if anything differs")
    parser.add_argument("--counts", action="store_true", help="print the number of literals of each kind")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    options, counts = parser.parse_args(), collections.Counter()
    table, skipped = rows((options.root / TABLE).read_text())
    rows_of, errors = match_rows(messages(options.root, skipped, counts), table)
    gone = [path for path in skipped if not (options.root / "Sources" / path).exists()]
    errors += [f"{TABLE}: no such file in Sources: {path}" for path in gone]
    if options.counts:
        print(*(f"{count:5} {kind}" for kind, count in sorted(counts.items())), sep="\n")
    file = options.root / ARTICLE
    new = article(file.read_text(), rows_of, table)
    if options.check and new != file.read_text():
        errors.append(f"{ARTICLE}: the table differs; run: .ci/generate_messages.py")
    if errors:
        sys.exit("\n".join(errors))
    file.write_text(new)


if __name__ == "__main__":
    main()
