#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the manual pages from the program's description of its command line.

usage: fixcast --experimental-dump-help | generate_manual.py FOLDER [--date DATE] [--reference FILE]

Writes one page for the program and one for each subcommand, with its own subcommands as sections.
With --reference it also writes fixcast.toml(5) with the content of that file. The pages are mdoc(7).
"""
import argparse
import datetime
import json
import pathlib
import re
import sys
import textwrap

EXIT_STATUS = [
    ("0", "Success."),
    ("64", "A usage error."),
    ("65", "The input contains nothing that can be decoded."),
    ("66", "The input does not exist or cannot be read."),
    ("69", "No receiver, daemon or network is available, or the limit of open files is too low."),
    ("75", "No fix or answer in time."),
    ("77", "Not authorized."),
    ("78", "The configuration is invalid."),
]

ENVIRONMENT = [
    ("FIXCAST_SOCKET", "The socket of the service, instead of the configured one."),
    ("FIXCAST_STATE_DIRECTORY", "The directory of operators' answers and of the weather store."),
    ("FIXCAST_ROOT", "A directory prefixed to all system paths, such as a mounted image."),
    ("LC_ALL, LC_MEASUREMENT, LANG", "The units of a user who names none, by the country."),
    ("TZ", "The time zone of dates and times, instead of /etc/localtime."),
    ("TERM", "The terminal; with dumb, the output has no colours and no live view."),
    ("NO_COLOR", "If set, the output has no colours."),
    ("http_proxy, https_proxy, all_proxy, no_proxy", "The proxy for requests to weather providers."),
    ("XDG_STATE_HOME", "The directory of the weather store of a user without the service."),
]

FILES = [
    ("/etc/fixcast/config.toml", "The configuration of the service. All settings are optional."),
    ("/etc/fixcast/conf.d/*.toml", "Additional configuration files, read in the order of their names."),
    ("/etc/fixcast/policy.d/*.conf", "The authorization rules, one per line."),
    ("/usr/lib/fixcast/policy.d/*.conf", "The authorization rules of an image."),
    ("/var/lib/fixcast", "Operators' answers and other persistent state."),
    ("/run/fixcast/fixcast.sock", "The socket of the service."),
]


def escaped(text):
    """Escapes text for mdoc."""
    text = text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in (".", "'") else text


def argument(text):
    """Escapes one argument of a macro, so that mdoc does not read it as a macro or as punctuation."""
    text = escaped(text).replace('"', "\\(dq")
    if re.fullmatch(r"[A-Z%][A-Za-z1]{1,2}|[.,:;()\[\]?!|]", text):
        text = "\\&" + text
    return f'"{text}"' if " " in text else text


def prose(text):
    """Splits text into lines, each sentence on a new line as mdoc requires."""
    sentences = re.split(r"(?<=[A-Za-z0-9)'\"][.!?]) +(?=[A-Z'])", " ".join(text.split()))
    wrap = textwrap.TextWrapper(78, break_long_words=False, break_on_hyphens=False)
    return [escaped(line) for sentence in sentences for line in wrap.wrap(sentence)]


def discussion(text):
    """Formats paragraphs; indented lines become literal text."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        for is_literal, part in runs(paragraph.split("\n")):
            if is_literal:
                kept = [escaped(line[2:]) for line in part]
                lines += [".Bd -literal -offset indent"] + kept + [".Ed"]
            else:
                lines += ([".Pp"] if lines else []) + prose(" ".join(part))
    return lines


def split_examples(text):
    """Returns the text before and after the line `Examples:`, which is the last paragraph."""
    before, _, examples = (text or "").partition("\nExamples:\n")
    return before.rstrip("\n"), examples


def examples(command):
    """Returns the section with the examples of a command and its subcommands."""
    parts = [split_examples(c.get("discussion"))[1] for c in [command, *subcommands(command)]]
    text = "\n".join(part.strip("\n") for part in parts if part)
    return [".Sh EXAMPLES"] + discussion(text) if text else []


def runs(lines):
    """Groups adjacent lines by whether they are indented."""
    parts = []
    for line in lines:
        is_literal = line.startswith("  ")
        if not parts or parts[-1][0] != is_literal:
            parts.append((is_literal, []))
        parts[-1][1].append(line)
    return parts


def shown(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def subcommands(command):
    return [c for c in shown(command.get("subcommands", [])) if c["commandName"] != "help"]


def flag(name):
    """Returns an option's name for the macro Fl, which adds the first dash."""
    return name["name"] if name["kind"] != "long" else "-" + name["name"]


def spelled(item):
    """Returns the macros for an option or a positional argument."""
    value = item.get("valueName", "value")
    if item["kind"] == "positional":
        return f"Ar {argument(value)}"
    text = f"Fl {argument(flag(item['preferredName']))}"
    return text if item["kind"] == "flag" else f"{text} Ar {argument(value)}"


def synopsis(path, command):
    lines = [".Nm fixcast"] + [f".Cm {argument(part)}" for part in path]
    for item in shown(command.get("arguments", [])):
        if item.get("valueName") in ("version", "help"):
            continue
        text = spelled(item)
        dots = " ..." if item.get("isRepeating") else ""
        lines.append(f".Op {text}{dots}" if item.get("isOptional") else f".{text}{dots}")
    if subcommands(command):
        lines += [".Ar subcommand"]
    return lines


def options(command):
    items = [i for i in shown(command.get("arguments", [])) if i.get("valueName") != "help"]
    if not items:
        return []
    lines = [".Bl -tag -width Ds"]
    for item in items:
        if item["kind"] == "positional":
            lines.append(f".It {spelled(item)}")
        else:
            names = [f"Fl {argument(flag(name))}" for name in item["names"]]
            tail = "" if item["kind"] == "flag" else f" Ar {argument(item['valueName'])}"
            lines.append(".It " + " , ".join(names) + tail)
        lines += prose(item.get("abstract", ""))
        if item.get("defaultValue"):
            lines.append(f"By default {escaped(item['defaultValue'])}.")
        if item.get("allValues"):
            lines.append(f"One of {escaped(', '.join(item['allValues']))}.")
    return lines + [".El"]


def tagged(pairs, macro):
    lines = [".Bl -tag -width Ds"]
    for tag, text in pairs:
        lines += [f".It {macro}{argument(tag)}"] + prose(text)
    return lines + [".El"]


def abstract(command):
    return escaped(" ".join(command.get("abstract", "").split()).rstrip("."))


def page(name, section, date, description, body):
    head = [
        '.\\" Generated from the program by generate_manual.py.',
        f".Dd {date:%B} {date.day}, {date.year}", f".Dt {name.upper()} {section}", ".Os",
        ".Sh NAME", f".Nm {name}", f".Nd {description}",
    ]
    return "\n".join(head + body) + "\n"


def root_page(root, date):
    body = [".Sh SYNOPSIS"] + synopsis([], root) + [".Sh DESCRIPTION"]
    body += discussion(root.get("discussion") or root.get("abstract", ""))
    body += [".Ss Commands", ".Bl -tag -width Ds"]
    for command in subcommands(root):
        body += [f".It Cm {argument(command['commandName'])}"] + prose(command.get("abstract", ""))
        body += ["See", f".Xr fixcast-{command['commandName']} 1 ."]
    body += [".El", ".Ss Options"] + options(root)
    body += [".Sh ENVIRONMENT"] + tagged(ENVIRONMENT, "Ev ")
    body += [".Sh FILES"] + tagged(FILES, "Pa ")
    body += [".Sh EXIT STATUS"] + tagged(EXIT_STATUS, "")
    body += [".Sh SEE ALSO"]
    pages = [f"fixcast-{command['commandName']} 1" for command in subcommands(root)]
    pages = sorted(pages) + ["fixcast.service 8"]
    body += [f".Xr {entry} ," for entry in pages[:-1]] + [f".Xr {pages[-1]}"]
    return page("fixcast", 1, date, abstract(root), body)


def subcommand_page(command, date):
    name = command["commandName"]
    body = [".Sh SYNOPSIS"] + synopsis([name], command)
    for child in subcommands(command):
        body += [".Pp"] + synopsis([name, child["commandName"]], child)
    body += [".Sh DESCRIPTION"] + prose(command.get("abstract", ""))
    if command.get("discussion"):
        body += [".Pp"] + discussion(split_examples(command["discussion"])[0])
    items = options(command)
    if items:
        body += [".Ss Options"] + items
    for child in subcommands(command):
        body += [f".Ss fixcast {name} {child['commandName']}"] + prose(child.get("abstract", ""))
        if child.get("discussion"):
            body += [".Pp"] + discussion(split_examples(child["discussion"])[0])
        items = options(child)
        body += items
    body += [".Sh EXIT STATUS"] + tagged(EXIT_STATUS, "") + examples(command)
    body += [".Sh SEE ALSO", ".Xr fixcast 1"]
    return page(f"fixcast-{name}", 1, date, abstract(command), body)


def reference_page(text, date):
    body = [".Sh DESCRIPTION", "The service reads", ".Pa /etc/fixcast/config.toml", "and then all of"]
    body += [".Pa /etc/fixcast/conf.d/*.toml .", "Without a file, every setting has its default."]
    body += [".Pp", "All settings:", ".Bd -literal"]
    body += [escaped(line.rstrip()) for line in text.splitlines()] + [".Ed", ".Sh SEE ALSO"]
    body += [".Xr fixcast 1 ,", ".Xr fixcast.service 8"]
    return page("fixcast.toml", 5, date, "configuration of the GPS bridge", body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--reference", type=pathlib.Path)
    words = parser.parse_args()
    date = datetime.date.fromisoformat(words.date)
    root = json.load(sys.stdin)["command"]
    words.folder.mkdir(parents=True, exist_ok=True)
    (words.folder / "fixcast.1").write_text(root_page(root, date))
    for command in subcommands(root):
        path = words.folder / f"fixcast-{command['commandName']}.1"
        path.write_text(subcommand_page(command, date))
    if words.reference:
        text = words.reference.read_text()
        (words.folder / "fixcast.toml.5").write_text(reference_page(text, date))


if __name__ == "__main__":
    main()
