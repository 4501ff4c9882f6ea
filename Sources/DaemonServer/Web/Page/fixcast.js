// SPDX-License-Identifier: Apache-2.0
//
// The status page. It reads one event stream and a few resources of the daemon's HTTP API.
//
// All text of clients, receivers and providers is untrusted. It only becomes a text node, in `build`.

const byId = (id) => document.getElementById(id);

// MARK: Elements

/** Replaces control and direction characters, which could hide or reorder text; limits the length. */
function plain(text, limit = 600) {
  const clean = String(text).replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
  return clean.length > limit ? clean.slice(0, limit) + "…" : clean;
}

function build(namespace, name, attributes, children) {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child !== undefined && child !== null && child !== false && child !== "") {
      element.append(child instanceof Node ? child : plain(child));
    }
  }
  return element;
}

const html = (name, attributes, ...children) => build("http://www.w3.org/1999/xhtml", name, attributes, children);
const svg = (name, attributes, ...children) => build("http://www.w3.org/2000/svg", name, attributes, children);

/** Changes the children of an element to `children`. Keeps equal nodes, and so focus and selection. */
function patch(parent, children) {
  const wanted = children.flat(3).filter((child) => child instanceof Node);
  wanted.forEach((child, index) => {
    const current = parent.childNodes[index];
    if (!current) parent.append(child);
    else if (current.nodeName !== child.nodeName) current.replaceWith(child);
    else if (child.nodeType === Node.TEXT_NODE) {
      if (current.data !== child.data) current.data = child.data;
    } else {
      for (const { name } of [...current.attributes]) {
        if (!child.hasAttribute(name)) current.removeAttribute(name);
      }
      for (const { name, value } of child.attributes) {
        if (current.getAttribute(name) !== value) current.setAttribute(name, value);
      }
      patch(current, [...child.childNodes]);
    }
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

function setText(element, text) {
  const clean = plain(text);
  if (element.textContent !== clean) element.textContent = clean;
}

const bodyOf = (card) => byId("card-" + card).querySelector(".body");
const paragraph = (text, kind) => html("p", { class: kind }, text);

/** Returns a list of names and values without the rows whose value is unknown. */
function facts(rows, kind = "facts") {
  const known = rows.filter(([, value]) => value !== undefined && value !== "" && value !== false);
  return html(
    "dl",
    { class: kind },
    known.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value))),
  );
}

/** Returns a table. Columns whose name begins with a space hold numbers. */
function table(caption, columns, rows) {
  return html(
    "table",
    {},
    html("caption", { class: "hidden" }, caption),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        columns.map((name) => html("th", { scope: "col", class: name.startsWith(" ") && "number" }, name.trim())),
      ),
    ),
    html(
      "tbody",
      {},
      rows.map((row) =>
        html(
          "tr",
          {},
          row.map((cell, index) =>
            html(
              index ? "td" : "th",
              { scope: !index && "row", class: columns[index].startsWith(" ") && "number" },
              cell ?? "–",
            )
          ),
        )
      ),
    ),
  );
}

// MARK: Time

/** A moment, `age` seconds ago, on both clocks: one may jump, the other may stop during sleep. */
const moment = (age = 0) => ({ wall: Date.now() - age * 1000, steady: performance.now() - age * 1000 });
const since = (at) => Math.max(0, Date.now() - at.wall, performance.now() - at.steady) / 1000;

function ageText(seconds) {
  if (!(seconds >= 0)) return undefined;
  if (seconds < 9.95) return number(seconds, 1, 1) + " s";
  if (seconds < 119.5) return number(seconds) + " s";
  if (seconds < 5400) return number(seconds / 60) + " min";
  if (seconds < 172800) return `${number(Math.floor(seconds / 3600))} h ${number(Math.floor(seconds / 60) % 60)} min`;
  return number(seconds / 86400) + " days";
}

const timeFormats = new Map();
function timeText(value, options) {
  const date = new Date(value);
  if (value === undefined || Number.isNaN(date.getTime())) return undefined;
  const zone = options.timeZone ?? (settings.clock === "utc" ? "UTC" : undefined);
  const key = JSON.stringify([options, zone]);
  if (!timeFormats.has(key)) timeFormats.set(key, new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone }));
  return timeFormats.get(key).format(date) + (zone === "UTC" && options.hour && !options.bare ? " UTC" : "");
}
const clockTime = (value) => timeText(value, { hour: "numeric", minute: "2-digit" });
function sunText(rise, set) {
  const from = timeText(rise, { hour: "numeric", minute: "2-digit", bare: true });
  return from && clockTime(set) && `${from}–${clockTime(set)}`;
}
const clockSeconds = (value) => timeText(value, { hour: "numeric", minute: "2-digit", second: "2-digit" });

// MARK: Units

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const numberFormats = new Map();
function number(value, digits = 0, least = 0) {
  const key = digits * 10 + least;
  if (!numberFormats.has(key)) {
    numberFormats.set(
      key,
      new Intl.NumberFormat(undefined, { maximumFractionDigits: digits, minimumFractionDigits: least }),
    );
  }
  return numberFormats.get(key).format(Object.is(value, -0) ? 0 : value);
}
const quantity = (value, unit, digits = 0, least = 0) =>
  isNumber(value) ? `${number(value, digits, least)}\u00a0${unit}` : undefined;

function settingsOfLocale() {
  const region = new Intl.Locale(navigator.language || "en").maximize().region;
  const explicit = (navigator.language || "").includes("-");
  return { units: explicit && ["US", "LR", "MM"].includes(region) ? "imperial" : "metric", clock: "local" };
}

/** The units and the clock. Besides these, local storage holds only the key of the session. */
const settings = settingsOfLocale();
const choices = { units: ["metric", "imperial", "nautical"], clock: ["local", "utc"] };

function loadSettings() {
  try {
    const stored = JSON.parse(localStorage.getItem("fixcast") ?? "{}");
    for (const key of Object.keys(choices)) if (choices[key].includes(stored[key])) settings[key] = stored[key];
  } catch { /* Storage may be disabled. The locale then decides. */ }
  for (const key of Object.keys(choices)) {
    byId(key).value = settings[key];
    byId(key).addEventListener("change", (event) => {
      settings[key] = event.target.value;
      try {
        localStorage.setItem("fixcast", JSON.stringify(settings));
      } catch { /* As above. */ }
      changed(...Object.keys(renderers));
    });
  }
}

const imperial = () => settings.units === "imperial";
const nautical = () => settings.units === "nautical";
/** Decimals for about two significant digits. */
const decimals = (value) => (Math.abs(value) < 9.95 ? 1 : 0);

function distance(meters) {
  if (!isNumber(meters)) return undefined;
  const [size, unit] = imperial() ? [1609.344, "mi"] : nautical() ? [1852, "nmi"] : [1000, "km"];
  if (meters >= size * 0.3 && (imperial() || nautical()) || meters >= size) {
    return quantity(meters / size, unit, decimals(meters / size));
  }
  return length(meters);
}
function length(meters) {
  if (!isNumber(meters)) return undefined;
  const value = imperial() ? meters / 0.3048 : meters;
  return quantity(value, imperial() ? "ft" : "m", decimals(value));
}
function speed(value) {
  if (!isNumber(value)) return undefined;
  return imperial()
    ? quantity(value * 2.236936, "mph", 1, 1)
    : nautical()
    ? quantity(value * 1.943844, "kn", 1, 1)
    : quantity(value * 3.6, "km/h", 1, 1);
}
const windUnit = () => (imperial() ? "mph" : nautical() ? "kn" : "m/s");
const windValue = (value) => value * (imperial() ? 2.236936 : nautical() ? 1.943844 : 1);
const wind = (
  value,
) => (isNumber(value) ? quantity(windValue(value), windUnit(), decimals(windValue(value))) : undefined);
const degreeUnit = () => (imperial() ? "°F" : "°C");
const degrees = (value) => (imperial() ? value * 1.8 + 32 : value);
const temperature = (
  value,
  digits = 1,
) => (isNumber(value) ? quantity(degrees(value), degreeUnit(), digits) : undefined);
const rainUnit = () => (imperial() ? "in" : "mm");
const rainValue = (value) => (imperial() ? value / 25.4 : value);
const rain = (value) => (isNumber(value) ? quantity(rainValue(value), rainUnit(), imperial() ? 2 : 1) : undefined);
const pressure = (
  value,
  digits = 0,
) => (!isNumber(value)
  ? undefined
  : imperial()
  ? quantity(value / 33.8639, "inHg", 2, 2)
  : quantity(value, "hPa", digits));
const percent = (value) => quantity(value, "%");

const points = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];
const compass = (
  value,
) => (isNumber(value) ? points[Math.round((((value % 360) + 360) % 360) / 22.5) % 16] : undefined);
const bearing = (value) => (isNumber(value) ? `${number(Math.round(value) % 360)}°\u00a0${compass(value)}` : undefined);

function coordinate(value, letters, digits) {
  const letter = letters[value < 0 ? 1 : 0];
  const size = Math.abs(value);
  if (!nautical() || digits < 6) return `${number(size, digits, digits)}°\u00a0${letter}`;
  const thousandths = Math.round(size * 60000);
  return `${Math.floor(thousandths / 60000)}°\u00a0${number((thousandths % 60000) / 1000, 3, 3)}′\u00a0${letter}`;
}

/** Splits the name of a condition, such as `lightrain`, into words. */
function words(name) {
  if (typeof name !== "string") return undefined;
  return plain(name, 60).replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase().replace(
    /^(light|heavy|mainly|partly|mostly|freezing|rime|volcanic|tropical)/,
    "$1 ",
  )
    .replace(/(rain|snow|sleet)(showers)/, "$1 $2").replace(/snowgrains/, "snow grains")
    .replace(/thunderstormwith/, "thunderstorm with ").replace(/\s+$/, "");
}

// MARK: State of the page

/** The newest objects of the board. An unknown object is `undefined`. */
const board = {};

function forget() {
  Object.assign(board, {
    fix: undefined,
    fixAt: undefined,
    last: undefined,
    lastAt: undefined,
    heading: undefined,
    sky: undefined,
    skyAt: undefined,
    weather: undefined,
    weatherAt: undefined,
    forecast: undefined,
    forecastAt: undefined,
    track: [],
    places: [],
    placesFrom: undefined,
    gates: new Map(),
    lost: undefined,
    errors: [],
    status: undefined,
    statusAt: undefined,
  });
}

function forgetAll() {
  forget();
  Object.assign(board, { auth: undefined, role: undefined, requests: [], devices: new Map(), path: undefined });
}

const link = {
  stream: undefined,
  retry: undefined,
  respondedAt: undefined,
  resumedAt: moment(),
  streamAt: moment(),
  isEnded: false,
  isPolling: false,
  isAway: false,
  isRefused: false,
  polledAt: undefined,
  refusal: undefined,
  failures: 0,
  isFresh: true,
  isNew: true,
};

const accessOf = (auth) => {
  if (!auth) return undefined;
  if (!String(auth.status).startsWith("authorized")) return "none";
  return auth.accuracy === "full" ? "full" : "reduced";
};
const access = () => accessOf(board.auth);

/** Whether the newest position is too old to be called current. A reduced position is sent seldom. */
const staleSeconds = 10;
const isCurrent = () =>
  board.fix?.mode > 1 && !board.lost && !link.isAway &&
  (access() === "reduced" || since(board.fixAt) < staleSeconds);

const hasPlace = (fix) => isNumber(fix?.lat) && isNumber(fix?.lon);

// MARK: Events

const handlers = {
  AUTH(object) {
    const before = access();
    board.auth = object;
    if (before !== undefined && before !== access()) forget();
    if (access() === "none") forget();
    changed(...Object.keys(renderers));
    loadAuthorization();
    if (access() !== "none" && (before !== access() || link.isFresh)) loadAll();
    else loadStatus();
    link.isFresh = false;
  },
  TPV(object) {
    if (access() === "none") return;
    // The status explains a missing position.
    if ((board.fix?.mode > 1) !== (object.mode > 1)) loadStatus();
    board.fix = object;
    board.fixAt = moment(isNumber(object.age) ? object.age : 0);
    if (object.mode > 1) board.lost = undefined;
    if (hasPlace(object)) {
      board.last = object;
      board.lastAt = board.fixAt;
      extendTrack(object);
      if (isFarFromPlaces(object)) loadPlaces();
    }
    changed("position", "map");
  },
  ATT(object) {
    board.heading = object;
  },
  SKY(object) {
    if (access() !== "full") return;
    board.sky = object;
    board.skyAt = moment();
    changed("sky", "position");
  },
  WEATHER(object) {
    if (access() === "none") return;
    const isNew = board.weather?.issued !== object.issued || board.weather?.provider !== object.provider;
    board.weather = object;
    board.weatherAt = moment();
    changed("weather", "forecast");
    if (isNew) loadForecast();
  },
  DEVICE(object) {
    if (!object.path) return;
    if (board.devices.size > 63 && !board.devices.has(object.path)) return;
    board.devices.set(object.path, { ...board.devices.get(object.path), ...object });
    if (!object.activated) lose({ reason: "deactivated", device: object.path });
    else if (board.lost?.device === object.path) board.lost = undefined;
    changed("position", "map", "board");
  },
  PATH(object) {
    board.path = object;
    changed("board");
  },
  GATE(object) {
    if (board.gates.size < 64 || board.gates.has(object.gate)) {
      board.gates.set(object.gate, { ...object, at: moment() });
    }
    changed("board");
  },
  ERROR(object) {
    if (object.dropped) return;
    if (object.error === "sourceLost") {
      const device = board.devices.get(object.device);
      if (device && object.reason !== "silent") device.activated = 0;
      lose(object);
    }
    board.errors = [{ ...object, at: moment() }, ...board.errors].slice(0, 5);
    changed("position", "board", "health", "map");
    loadStatus();
  },
  REQUESTS(object) {
    link.hasRequests = true;
    setRequests(object.requests);
  },
};

/** Notes the loss of a receiver or of the whole source, unless another receiver has the position. */
function lose(loss) {
  const isOther = (device) => device.path !== loss.device && device.activated;
  const hasOther = loss.device && board.fix?.device !== loss.device && [...board.devices.values()].some(isOther);
  if (hasOther) return;
  board.lost = loss;
  board.fix = undefined;
}

/** Replaces the list of requests. After a removal, the buttons have moved, and are disabled for a moment. */
function setRequests(requests) {
  const wanted = Array.isArray(requests) ? requests : [];
  if (board.requests.some(({ id }, index) => wanted[index]?.id !== id)) {
    board.requestsMovedAt = moment();
    setTimeout(() => changed("requests"), requestPauseSeconds * 1000);
  }
  board.requests = wanted;
  changed("requests");
}

const requestPauseSeconds = 0.7;
const requestsHaveMoved = () => board.requestsMovedAt && since(board.requestsMovedAt) < requestPauseSeconds;
/** The duration of an answer, also in the command that the board gives for each request. */
const allowedHours = 2;

/** Adds the position to the track, at most one in ten seconds, and drops what is older than an hour. */
function extendTrack(fix) {
  if (access() !== "full") return;
  const seconds = Date.parse(fix.time) / 1000;
  const newest = board.track.at(-1);
  if (!(seconds > 0) || (newest && seconds - newest[0] < 10)) return;
  board.track = [...board.track, [seconds, fix.lat, fix.lon]].filter(([time]) => seconds - time <= 3600).slice(-400);
}

// MARK: Requests to the board

class SessionEnded extends Error {}

/**
 * The key of the session. A browser sends the cookie of the session to all ports of a host, so a program of
 * another user can receive it. The key is in local storage, which belongs to one port. Without a session, as
 * through a tunnel to the daemon's socket, there is no key.
 */
const keyName = "fixcast-key";
let keyOfLink;

function takeKey() {
  keyOfLink = /^#key=([0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (!keyOfLink) return;
  history.replaceState(null, "", "/");
  try {
    localStorage.setItem(keyName, keyOfLink);
  } catch { /* Storage may be disabled. The key is then valid until the page is closed. */ }
}

function sessionKey() {
  try {
    return localStorage.getItem(keyName) ?? keyOfLink;
  } catch {
    return keyOfLink;
  }
}

async function fetchJSON(path, options = {}) {
  const key = sessionKey();
  const response = await fetch(path, {
    cache: "no-store",
    signal: AbortSignal.timeout(options.timeout ?? 8000),
    ...options,
    headers: { ...options.headers, ...(key && { "X-Fixcast-Key": key }) },
  });
  if (response.status === 401) {
    endSession();
    throw new SessionEnded();
  }
  noteResponse();
  const body = await response.json().catch(() => undefined);
  if (response.ok && body && typeof body === "object") return body;
  const error = new Error(
    body?.message ? plain([body.message, body.advice].filter(Boolean).join("; ")) : `HTTP status ${response.status}`,
  );
  error.isTemporary = [429, 503].includes(response.status);
  error.isRefusal = response.status === 403;
  throw error;
}

/** Loads one resource. For each path and access, at most one request runs at a time. */
const running = new Map();
const retrySeconds = 3;
async function load(path, use) {
  const level = access();
  const key = `${level} ${path}`;
  if (running.has(key) || document.hidden) return running.get(key);
  const task = fetchJSON(path).then((object) => {
    // The answer to a request from before a revocation must not return to the page.
    if (access() === level) use(object);
  }).catch((error) => {
    // The stream may report a revocation later, or not at all.
    if (error.isRefusal && access() === level) {
      forget();
      changed(...Object.keys(renderers));
      loadStatus();
    }
    // A board limits the rate of requests, for example when many pages are opened at once.
    if (error.isTemporary) setTimeout(() => access() === level && load(path, use), retrySeconds * 1000);
  }).finally(() => running.delete(key));
  running.set(key, task);
  return task;
}

const loadAuthorization = () =>
  load("/v1/authorization", (object) => {
    board.role = object.role;
    if (object.role !== "decide") setRequests([]);
    else if (!link.hasRequests) setRequests(object.requests);
    changed("requests", "position");
  });
const loadForecast = () =>
  load("/v1/forecast", (object) => {
    board.forecast = object;
    board.forecastAt = moment();
    changed("forecast", "weather");
  });
const loadTrack = () =>
  load("/v1/track", (object) => {
    const loaded = (object.points ?? []).filter((point) => Array.isArray(point) && point.every(isNumber));
    const end = loaded.at(-1)?.[0] ?? 0;
    board.track = [...loaded, ...board.track.filter(([time]) => time > end)].slice(-400);
    changed("map");
  });
const loadPlaces = () =>
  load("/v1/places", (object) => {
    board.places = (object.places ?? []).filter(hasPlace).slice(0, 12);
    board.placesFrom = board.last && { lat: board.last.lat, lon: board.last.lon, at: moment() };
    changed("map", "position");
  });

async function loadStatus() {
  if (link.isPolling) {
    link.pollsAgain = true;
    return;
  }
  link.isPolling = true;
  link.pollsAgain = false;
  link.polledAt = moment();
  try {
    const level = access();
    const object = await fetchJSON("/v1/status", { timeout: 2000 });
    link.isEnded = false;
    if (access() === level) {
      // The stream may be dead when the access changes.
      if (level && accessOf(object.authorization ?? board.auth) !== level) handlers.AUTH(object.authorization);
      [board.status, board.statusAt] = [object, moment()];
    } else link.polledAt = undefined;
    if ((!link.stream && !link.retry) || streamHasStalled()) openStream();
    changed("board", "health", "position");
  } catch (error) {
    // `checkLink` reports a board that does not answer. A refused connection needs no time limit.
    link.isRefused = error instanceof TypeError;
  } finally {
    link.isPolling = false;
    if (link.pollsAgain) link.polledAt = undefined;
  }
}

function loadAll() {
  loadStatus();
  loadForecast();
  loadPlaces();
  if (access() === "full") loadTrack();
}

/** Whether the position has moved so far that the list of places may be wrong. */
function isFarFromPlaces(fix) {
  const from = board.placesFrom;
  if (!from) return false;
  const limit = Math.max(200, Math.min(5000, 0.1 * (board.places[0]?.distance ?? 0)));
  return since(from.at) > 15 && separation(from, fix) > limit;
}

/** The distance in metres, for short distances. */
function separation(a, b) {
  const east = (b.lon - a.lon) * Math.cos((a.lat * Math.PI) / 180);
  return Math.hypot(east, b.lat - a.lat) * 111195;
}

async function decide(request, decision, hours) {
  const buttons = byId("card-requests").querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  try {
    await fetchJSON("/v1/authorization/decision", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Fixcast": "1" },
      body: JSON.stringify({ request: request.id, decision, hours }),
    });
    setRequests(board.requests.filter(({ id }) => id !== request.id));
    const verb = decision === "deny" ? "Denied" : decision === "allow" ? "Allowed" : "Allowed with reduced accuracy";
    setText(byId("decision"), `${verb}: ${plain(request.client, 80)}${hours ? ` for ${hours} h` : ""}.`);
  } catch (error) {
    const reason = error.name === "Error" ? error.message : "the board does not answer";
    setText(
      byId("decision"),
      `Not decided: ${reason}. On the board, run: ${plain(request.command ?? "fixcast auth pending", 200)}`,
    );
  }
  for (const button of buttons) button.disabled = false;
  changed("requests");
  byId("title-requests").focus();
}

/** Ends the session of this browser. */
async function logOut() {
  const headers = { "Content-Type": "application/json", "X-Fixcast": "1" };
  try {
    await fetchJSON("/v1/web/end", { method: "POST", headers, body: "{}" });
    keyOfLink = undefined;
    localStorage.removeItem(keyName);
    endSession();
  } catch { /* The page shows that the board does not answer, or that the session has ended. */ }
}

// MARK: The connection

function noteResponse() {
  link.respondedAt = moment();
  link.isAway = false;
  link.isRefused = false;
}

function closeStream() {
  link.stream?.close();
  link.stream = undefined;
  clearTimeout(link.retry);
  link.retry = undefined;
}

function openStream() {
  closeStream();
  if (document.hidden || link.isEnded) return;
  const key = sessionKey();
  const stream = new EventSource(`/v1/events?purpose=status%20page&page=1${key ? `&key=${key}` : ""}`);
  link.stream = stream;
  link.streamAt = moment();
  for (const [name, handle] of Object.entries(handlers)) {
    stream.addEventListener(name, (event) => {
      if (stream !== link.stream) return;
      noteResponse();
      link.streamAt = moment();
      let object;
      try {
        object = JSON.parse(event.data);
      } catch {
        return;
      }
      if (object && typeof object === "object") handle(object);
    });
  }
  stream.onopen = () => {
    // The stream begins with the receivers that are read. Others may have gone meanwhile.
    Object.assign(board, { devices: new Map(), gates: new Map(), path: undefined, lost: undefined });
    link.isFresh = true;
    link.hasRequests = false;
    link.failures = 0;
    link.refusal = undefined;
    noteResponse();
  };
  stream.onerror = () => {
    if (stream !== link.stream) return;
    closeStream();
    link.refusal ??= moment();
    link.failures += 1;
    link.retry = setTimeout(openStream, Math.min(500 * 2 ** link.failures, 8000) * (0.8 + Math.random() * 0.4));
    loadStatus();
    changed("position");
  };
}

/** Whether the board has a new position that the stream has not delivered. */
function streamHasStalled() {
  const age = board.status?.daemon?.source?.fixAge;
  return access() === "full" && isNumber(age) && age < 5 && since(link.streamAt) > 8;
}

function endSession() {
  closeStream();
  link.isEnded = true;
  forgetAll();
  changed(...Object.keys(renderers));
}

/** Notices a board that does not answer: heartbeats of a stream are invisible to a page. */
function checkLink() {
  if (document.hidden) return;
  const silence = link.respondedAt ? Math.min(since(link.respondedAt), since(link.resumedAt)) : since(link.resumedAt);
  const pause = link.isEnded ? 10 : silence > 1.5 ? 1 : 5;
  if (!link.polledAt || since(link.polledAt) > pause) loadStatus();
  const isAway = silence > (link.isRefused ? 2 : 3.7) && !link.isEnded;
  if (isAway !== link.isAway) {
    link.isAway = isAway;
    changed(...Object.keys(renderers));
  }
  // A stream that was open while the board was away may be dead. The next answer opens another.
  if (isAway) {
    closeStream();
    link.failures = 0;
  }
  // With reduced accuracy, a stream is silent for minutes.
  if (link.stream && since(link.streamAt) > 300) openStream();
}

function resume() {
  closeStream();
  if (document.hidden) return;
  // The access may have been withdrawn meanwhile. The stream begins with it.
  forget();
  board.auth = undefined;
  link.resumedAt = moment();
  link.polledAt = undefined;
  openStream();
  loadStatus();
  changed(...Object.keys(renderers));
  clearTimeout(timer);
  render();
}

// MARK: Rendering

let due = new Set();
let timer;
let renderedAt = -Infinity;

/** Renders cards soon, at most four times a second. */
function changed(...cards) {
  for (const card of cards) due.add(card);
  if (timer || document.hidden) return;
  timer = setTimeout(render, Math.max(20, renderedAt + 250 - performance.now()));
}

function render() {
  timer = undefined;
  renderedAt = performance.now();
  const cards = due;
  due = new Set();
  renderState();
  for (const card of cards) renderers[card]();
}

// MARK: State

/** Returns the state in words, its details and its level: ok, wait, warn or bad. */
function describeState() {
  if (link.isEnded) return ["bad", "This session has ended", "On the board, run: sudo fixcast web"];
  const responseAge = link.respondedAt && ageText(since(link.respondedAt));
  if (link.isAway) {
    return ["bad", "The board does not answer", responseAge ? `last response ${responseAge} ago` : "no answer yet"];
  }
  if (!link.stream && link.refusal && since(link.refusal) > 3) {
    return ["warn", "No event stream", `the board answers; last response ${responseAge} ago`];
  }
  if (!board.auth) return ["wait", "Connecting", ""];
  if (access() === "none") return describeRefusal();
  const network = board.path?.status === "unsatisfied" ? ", no network" : "";
  const [level, text, detail] = describeFix();
  return [network && level === "ok" ? "warn" : level, text + network, detail];
}

function describeRefusal() {
  const auth = board.auth;
  const advice = auth.advice ?? "";
  if (auth.deniedGlobally) return ["bad", "Location is switched off", "On the board, run: fixcast auth reset everyone"];
  if (auth.pending) return ["wait", "Waiting for permission", advice];
  if (auth.status === "notDetermined") return ["wait", "No permission yet", advice];
  return ["bad", "No permission to know the position", advice];
}

function describeFix() {
  const { fix, last, lost } = board;
  const lastKnown = last ? `last position ${ageText(since(board.lastAt))} old` : "no position yet";
  if (lost) {
    return [
      "bad",
      lost.device || lost.reason !== "unreachable" ? lostWords(lost) : "No source",
      `${plain(lost.device ?? lost.source ?? "", 60)}; ${lastKnown}`,
    ];
  }
  const why = board.status?.daemon?.source?.noFix?.text ?? board.status?.daemon?.source?.notices?.[0];
  if (!fix) return ["wait", "Waiting for a position", why ?? ""];
  if (!(fix.mode > 1)) return ["warn", "No fix", [why, lastKnown].filter(Boolean).join("; ")];
  if (!isCurrent()) return ["warn", "No new position", lastKnown];
  const origin = fix.simulated ? "Simulated " : fix.replayed ? "Recorded " : "";
  if (access() === "reduced") {
    return ["ok", origin + "Approximate position", `received ${ageText(since(board.fixAt))} ago${accuracyText(fix)}`];
  }
  return [
    "ok",
    `${origin}${fix.mode === 3 ? "3D" : "2D"} fix`,
    `${ageText(since(board.fixAt))} old${accuracyText(fix)}`,
  ];
}

const accuracyText = (fix) => (isNumber(fix.eph) ? `, ±${distance(fix.eph)} (95\u00a0%)` : "");

function lostWords(lost) {
  if (lost.reason === "deactivated") return "Receiver unplugged";
  if (lost.reason === "silent") return "The receiver sends nothing";
  if (lost.reason === "unreachable") return "The receiver cannot be reached";
  return "The receiver is lost";
}

function renderState() {
  document.body.classList.toggle("ended", link.isEnded);
  // The server has written the state into the page.
  if (link.isNew && !board.auth && !link.isEnded && since(link.resumedAt) < 3) return;
  // The first position follows the authorization at once, if there is one.
  const awaitsFix = ["full", "reduced"].includes(access()) && !board.fix && !board.lost;
  if (link.isNew && awaitsFix && since(link.respondedAt) < 0.5) return;
  link.isNew = false;
  const [level, text, detail] = describeState();
  byId("strip").dataset.level = level;
  setText(byId("state"), text);
  setText(byId("state-detail"), detail);
  const waiting = board.role === "decide" ? board.requests.length : 0;
  patch(
    byId("state-links"),
    waiting
      ? [html("a", { href: "#card-requests" }, waiting === 1 ? "1 request waits" : `${waiting} requests wait`)]
      : [],
  );
  const name = plain(board.status?.daemon?.host ?? "Fixcast", 60);
  setText(byId("name"), name);
  document.title = `${waiting ? `(${waiting}) ` : ""}${text} – ${name}`;
  document.body.classList.toggle("old", level === "bad");
}

// MARK: Position

function renderPosition() {
  const fix = board.last;
  if (access() === "none") {
    return patch(bodyOf("position"), [paragraph("This session has no access to the position."), adviceText()]);
  }
  if (!fix) return patch(bodyOf("position"), [paragraph("No position has been received.")]);
  const isOld = !isCurrent();
  const sky = board.sky?.satellites ?? [];
  const isReduced = access() === "reduced";
  const digits = isReduced ? 2 : 6;
  const heading = board.heading?.device === fix.device ? board.heading : undefined;
  patch(bodyOf("position"), [
    html(
      "p",
      { class: "coordinate" + (isOld ? " stale" : ""), id: "coordinate" },
      html("span", {}, coordinate(fix.lat, "NS", digits)),
      " ",
      html("span", {}, coordinate(fix.lon, "EW", digits)),
    ),
    html(
      "p",
      { class: "hint" },
      [isOld && `Not current: ${ageText(since(board.lastAt))} old.`, nearestText()].filter(Boolean).join(" "),
    ),
    html(
      "p",
      { class: "buttons" },
      navigator.clipboard && html("button", { type: "button", id: "copy" }, copyLabel()),
      html("a", { href: `geo:${decimal(fix, digits)}?q=${decimal(fix, digits)}` }, "Open in a map app"),
    ),
    facts([
      isReduced ? ["Received", `${ageText(since(board.lastAt))} ago`] : ["Age", ageText(since(board.lastAt))],
      [
        "Accuracy 95 %",
        isNumber(fix.eph) && `±${distance(fix.eph)}${isNumber(fix.epv) ? `, height ±${length(fix.epv)}` : ""}`,
      ],
      [
        "Height",
        isNumber(fix.altMSL)
          ? `${length(fix.altMSL)} above sea level`
          : isNumber(fix.altHAE) && `${length(fix.altHAE)} above ellipsoid`,
      ],
      ["Speed", speed(fix.speed)],
      ["Course", fix.speed > 0.5 && bearing(fix.track)],
      ["Heading", bearing(heading?.heading)],
      ["Satellites", satelliteCount(fix, sky)],
      ["HDOP", isNumber(fix.hdop) && number(fix.hdop, 1, 1)],
      ["Time of fix", clockSeconds(fix.time)],
      ["Origin", fix.simulated ? "simulated" : fix.replayed && "recorded"],
    ]),
    facts([
      ["Source", fix.device ? plain(fix.device, 120) : board.status?.daemon?.source?.name],
      ["Access", isReduced && "reduced: about 5 km, without height, speed and track"],
    ], "facts wide"),
  ]);
}

/** Returns a position in decimal degrees, as map applications take it. */
const decimal = (fix, digits) => `${fix.lat.toFixed(digits)},${fix.lon.toFixed(digits)}`;

/** The result of the last copy, which is shown for two seconds. */
const copied = { text: "Copy", at: moment(60) };
const copyLabel = () => (since(copied.at) < 2 ? copied.text : "Copy");

/** Copies the position to the clipboard. */
function copyPosition(event) {
  const fix = board.last;
  if (event.target.id !== "copy" || !fix) return;
  const show = (text) => {
    Object.assign(copied, { text, at: moment() });
    changed("position");
  };
  navigator.clipboard.writeText(decimal(fix, access() === "reduced" ? 2 : 6))
    .then(() => show("Copied"), () => show("Not copied"));
}

const adviceText = () => (board.auth?.advice ? paragraph(board.auth.advice, "advice") : undefined);

function satelliteCount(fix, sky) {
  const used = fix.sats ?? (sky.length ? sky.filter((satellite) => satellite.used).length : undefined);
  return isNumber(used) && `${number(used)} used${sky.length ? `, ${number(sky.length)} in view` : ""}`;
}

function nearestText() {
  const place = board.places[0] ?? board.weather?.place;
  if (!place?.title || !isNumber(place.distance)) return "";
  const name = [plain(place.title, 60), place.country && plain(place.country, 8)].filter(Boolean).join(", ");
  return `${distance(place.distance)} ${isNumber(place.bearing) ? `${compass(place.bearing)} ` : ""}of ${name}.`;
}

// MARK: Requests

function renderRequests() {
  const card = byId("card-requests");
  card.hidden = board.role !== "decide";
  document.body.classList.toggle("decides", !card.hidden);
  const requests = card.hidden ? [] : board.requests.slice(0, 20);
  card.classList.toggle("urgent", requests.length > 0);
  const items = requests.map((request) =>
    html(
      "li",
      { "data-request": request.id },
      html("p", { class: "client" }, html("bdi", {}, plain(request.client ?? "unknown client", 200))),
      html("p", {}, "Purpose: ", request.purpose ? html("q", {}, html("bdi", {}, request.purpose)) : "none given"),
      html(
        "p",
        { class: "hint" },
        [requestWords(request.request), request.since && `waits since ${clockTime(request.since)}`]
          .filter(Boolean).join(", "),
      ),
      html(
        "div",
        { class: "buttons" },
        decisionButton(request, "allow", `Allow for ${allowedHours} h`),
        request.request !== "temporaryFull" && decisionButton(request, "allowReduced", "Allow reduced"),
        decisionButton(request, "deny", "Deny"),
      ),
      request.command && html("p", { class: "hint" }, "Or on the board: ", html("code", {}, request.command)),
    )
  );
  patch(
    bodyOf("requests"),
    requests.length
      ? [
        html("ul", { class: "requests" }, items),
        paragraph("Allow reduced (about 5 km) and Deny hold until you change them.", "hint"),
        board.requests.length > 20 && paragraph(`${board.requests.length - 20} more wait.`, "hint"),
      ]
      : [paragraph("No program waits for an answer.", "hint")],
  );
}

const decisionButton = (request, decision, label) =>
  html("button", {
    type: "button",
    class: decision,
    disabled: requestsHaveMoved(),
    "data-decision": decision,
    "aria-label": `${label}: ${plain(request.client, 80)}`,
  }, label);

function requestWords(kind) {
  return {
    always: "wants the position at any time",
    whenInUse: "wants the position while in use",
    temporaryFull: "wants full accuracy for a time",
  }[kind] ?? kind;
}

byId("card-requests").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const id = button?.closest("[data-request]")?.dataset.request;
  const request = board.requests.find((candidate) => String(candidate.id) === id);
  if (request && !requestsHaveMoved()) {
    decide(request, button.dataset.decision, button.dataset.decision === "allow" ? allowedHours : undefined);
  }
});

// MARK: Sky

/** The satellite systems by `gnssid`: name, class for the colour, letter of the RINEX names. */
const systems = [
  ["GPS", "gps", "G"],
  ["SBAS", "sbas", "S"],
  ["Galileo", "gal", "E"],
  ["BeiDou", "bds", "C"],
  ["IMES", "sbas", "I"],
  ["QZSS", "qzss", "J"],
  ["GLONASS", "glo", "R"],
  ["NavIC", "navic", "N"],
];
const systemOf = (satellite) => systems[satellite.gnssid] ?? ["Other", "sbas", "?"];
const satelliteName = (satellite) => systemOf(satellite)[2] + String(satellite.svid ?? satellite.PRN ?? "");

/** The outline of the symbol of a system, around 0, 0. */
const shapes = {
  gps: "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",
  glo: "M-4.5-4.5H4.5V4.5H-4.5Z",
  gal: "M0-6L5.5 4.5H-5.5Z",
  bds: "M0-6.3L6.3 0L0 6.3L-6.3 0Z",
  qzss: "M0-6L5.7-1.8L3.5 4.9H-3.5L-5.7-1.8Z",
  navic: "M-3-5.2H3L6 0L3 5.2H-3L-6 0Z",
  sbas: "M-2-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
};

/** Returns one entry for each satellite, with its strongest signal. */
function satellites() {
  const found = new Map();
  for (const satellite of (board.sky?.satellites ?? []).slice(0, 200)) {
    const name = satelliteName(satellite);
    const known = found.get(name);
    if (!known) found.set(name, { ...satellite });
    else {
      known.used ||= satellite.used;
      if ((satellite.ss ?? 0) > (known.ss ?? 0)) known.ss = satellite.ss;
    }
  }
  return [...found.values()].sort((a, b) => (a.gnssid ?? 9) - (b.gnssid ?? 9) || (a.svid ?? 0) - (b.svid ?? 0));
}

function renderSky() {
  const all = satellites();
  byId("sky-table").hidden = !all.length;
  if (!all.length) {
    const text = access() === "reduced"
      ? "Satellites need full accuracy: they would reveal the position."
      : access() === "none"
      ? "This session has no access to the satellites."
      : board.sky
      ? `No satellites in view, reported ${ageText(since(board.skyAt))} ago: check the antenna and its cable.`
      : "No satellites have been reported.";
    return patch(bodyOf("sky"), [paragraph(text, "hint")]);
  }
  const used = all.filter((satellite) => satellite.used).length;
  const age = since(board.skyAt);
  patch(bodyOf("sky"), [
    html(
      "p",
      { class: age > staleSeconds || board.lost || link.isAway ? "stale" : "hint" },
      `${number(used)} of ${number(all.length)} satellites used, ${ageText(age)} old`,
    ),
    html("div", { class: "sky" }, skyPlot(all, used), html("div", { class: "bars" }, signalBars(all))),
    html("p", { class: "hint" }, "Filled: used. Bars: C/N0 in dB-Hz."),
  ]);
  renderSkyTable(all);
}

const satelliteClass = (satellite) => `sat ${systemOf(satellite)[1]}${satellite.used ? " used" : ""}`;

function skyPlot(all, used) {
  const radius = (elevation) => (100 * (90 - elevation)) / 90;
  const placed = all.filter((satellite) => isNumber(satellite.el) && isNumber(satellite.az) && satellite.el >= 0);
  const at = ({ el, az }) =>
    [Math.sin((az * Math.PI) / 180), -Math.cos((az * Math.PI) / 180)].map((part) => (part * radius(el)).toFixed(1))
      .join(" ");
  return svg(
    "svg",
    {
      class: "skyplot",
      viewBox: "-122 -122 244 244",
      role: "img",
      "aria-label": `Sky plot: ${used} of ${all.length} satellites used. The table lists them.`,
    },
    [0, 30, 60].map((elevation) => svg("circle", { class: "ring", r: radius(elevation) })),
    svg("path", { class: "ring", d: "M-100 0H100M0-100V100" }),
    [["N", 0, -108], ["E", 111, 0], ["S", 0, 112], ["W", -111, 0]].map(([letter, x, y]) =>
      svg("text", { class: "wind", x, y }, letter)
    ),
    [30, 60].map((elevation) => svg("text", { class: "tick", x: 2, y: -radius(elevation) + 7 }, `${elevation}°`)),
    placed.map((satellite) =>
      svg("path", {
        class: satelliteClass(satellite),
        transform: `translate(${at(satellite)})`,
        d: shapes[systemOf(satellite)[1]],
      })
    ),
    placed.map((satellite) =>
      svg(
        "text",
        { class: "satname", transform: `translate(${at(satellite)})`, x: 8, y: 3 },
        String(satellite.svid ?? ""),
      )
    ),
  );
}

function signalBars(all) {
  const groups = groupBySystem(all);
  return [...groups].map(([name, group]) => {
    const kind = systemOf(group[0])[1];
    const used = group.filter((satellite) => satellite.used).length;
    const step = group.some(({ svid }) => svid > 99) ? 20 : 15;
    const width = group.length * step + 2;
    return html(
      "figure",
      { class: `system ${kind}` },
      html(
        "figcaption",
        {},
        svg(
          "svg",
          { class: `key sat used ${kind}`, viewBox: "-7 -7 14 14", "aria-hidden": "true" },
          svg("path", { d: shapes[kind] }),
        ),
        `${name} ${used}/${group.length}`,
      ),
      svg(
        "svg",
        {
          class: "signal",
          viewBox: `0 0 ${width} 66`,
          width,
          height: 66,
          role: "img",
          "aria-label": `${name}: signals of ${group.length} satellites`,
        },
        svg("path", { class: "ring", d: `M0 52.5H${width}M0 32.5H${width}M0 12.5H${width}` }),
        group.map((satellite, index) => {
          const height = Math.max(0, Math.min(50, satellite.ss ?? 0));
          return svg(
            "g",
            { class: satelliteClass(satellite), transform: `translate(${(index + 0.5) * step + 1} 0)` },
            height > 0 && svg("rect", { x: -5, y: 52.5 - height, width: 10, height }),
            svg("text", { y: 63 }, String(satellite.svid ?? "")),
          );
        }),
      ),
    );
  });
}

function groupBySystem(all) {
  const groups = new Map();
  for (const satellite of all) {
    const name = systemOf(satellite)[0];
    groups.set(name, [...(groups.get(name) ?? []), satellite]);
  }
  return groups;
}

function renderSkyTable(all = satellites()) {
  const details = byId("sky-table");
  if (!details.open) return;
  const degree = (value) => (isNumber(value) ? `${number(value)}°` : undefined);
  patch(details.querySelector("div"), [
    table(
      "Satellites in view",
      ["Satellite", "System", " Elevation", " Azimuth", " dB-Hz", "Used"],
      all.map((
        satellite,
      ) => [
        satelliteName(satellite),
        systemOf(satellite)[0],
        degree(satellite.el),
        degree(satellite.az),
        isNumber(satellite.ss) ? number(satellite.ss) : undefined,
        satellite.used ? "yes" : "no",
      ]),
    ),
  ]);
}

// MARK: Map

/** The centre in Mercator coordinates from 0 to 1, and the width of the world in pixels. */
const view = { x: 0.5, y: 0.5, scale: 0, follows: true, width: 600, height: 380 };
const earthMeters = 40075017;
const maxScale = earthMeters / 0.1;
/** Below this width of the map in metres, the coastline is too coarse to be shown. */
const localMeters = 50000;

const mercatorX = (lon) => lon / 360 + 0.5;
function mercatorY(lat) {
  const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
const latitudeOf = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
const metersPerPixel = () => (earthMeters * Math.cos((latitudeOf(view.y) * Math.PI) / 180)) / view.scale;
const clampScale = (scale) => Math.max(view.width * 0.9, Math.min(maxScale, scale));

/** Returns the position on the map in pixels from its top left corner, on the nearer side of the world. */
function project(lat, lon) {
  const east = mercatorX(lon) - view.x;
  return [
    (east - Math.round(east)) * view.scale + view.width / 2,
    (mercatorY(lat) - view.y) * view.scale + view.height / 2,
  ];
}

/** The lines of coastline.bin, whose generator describes the format. */
let coastline;
async function loadCoastline() {
  const response = await fetch("/coastline.bin");
  if (!response.ok) return;
  const bytes = new Uint8Array(await response.arrayBuffer());
  let offset = 0;
  const read = () => {
    for (let value = 0, shift = 0;; shift += 7) {
      const byte = bytes[offset++];
      value |= (byte & 127) << shift;
      if (!(byte & 128)) return value;
    }
  };
  const difference = () => {
    const value = read();
    return value & 1 ? -(value + 1) / 2 : value / 2;
  };
  const counts = [read(), read()];
  let [lon, lat] = [0, 0];
  coastline = counts.map((count) =>
    Array.from({ length: count }, () => {
      const line = { x: [], y: [] };
      for (let left = read(); left > 0; left--) {
        lon += difference();
        lat += difference();
        line.x.push(mercatorX(lon / 50));
        line.y.push(mercatorY(lat / 50));
      }
      line.box = [Math.min(...line.x), Math.max(...line.x), Math.min(...line.y), Math.max(...line.y)];
      return line;
    })
  );
  changed("map");
}

/** Returns path data of the lines in a part of the world of `width` by `height` pixels. */
function linePath(lines, { x, y, scale, width, height }, { closed = false, isShore = false } = {}) {
  let path = "";
  const [right, bottom] = [width / 2 / scale, height / 2 / scale];
  for (const shift of [-1, 0, 1]) {
    for (const { x: xs, y: ys, box } of lines) {
      if (box[0] + shift > x + right || box[1] + shift < x - right || box[2] > y + bottom || box[3] < y - bottom) {
        continue;
      }
      const across = (index) => ((xs[index] + shift - x) * scale + width / 2).toFixed(1);
      const down = (index) => ((ys[index] - y) * scale + height / 2).toFixed(1);
      const at = (index) => across(index) + " " + down(index);
      // The edges at 180 degrees and at the end of the map are no shore.
      const isEdge = (a, b) =>
        (xs[a] === xs[b] && (xs[a] < 1e-9 || xs[a] > 1 - 1e-9)) || (ys[a] === ys[b] && ys[a] > 0.99);
      path += "M" + at(0);
      for (let index = 1; index < xs.length; index++) {
        path += (isShore && isEdge(index - 1, index) ? "M" : "L") + at(index);
      }
      if (closed) path += isShore && isEdge(xs.length - 1, 0) ? "" : "Z";
    }
  }
  return path;
}

let worldKey;
let worldNodes = [];
function world(part, key) {
  if (!coastline) return [];
  if (key && key === worldKey) return worldNodes.map((node) => node.cloneNode());
  const [coasts, borders] = coastline;
  const nodes = [
    svg("path", { class: "land", d: linePath(coasts, part, { closed: true }) }),
    svg("path", { class: "border", d: linePath(borders, part) }),
    svg("path", { class: "coast", d: linePath(coasts, part, { closed: true, isShore: true }) }),
  ];
  if (key) [worldKey, worldNodes] = [key, nodes.map((node) => node.cloneNode())];
  return nodes;
}

/** Shows the board, its track and the three nearest places. */
function fitView(fix) {
  const others = [...board.places.slice(0, 3), ...board.track.map(([, lat, lon]) => ({ lat, lon }))];
  const reach = Math.max(
    150,
    2 * (fix.eph ?? 0),
    ...others.map((other) => separation(fix, other)).filter((size) => size < 200000),
  );
  view.scale = clampScale(
    (earthMeters * Math.cos((fix.lat * Math.PI) / 180) * Math.min(view.width, view.height) * 0.4) / reach,
  );
}

function zoom(factor) {
  view.scale = clampScale(view.scale * factor);
  view.isChosen = true;
  changed("map");
}

function move(right, down) {
  view.x = (view.x + right / view.scale + 1) % 1;
  view.y = Math.max(0.02, Math.min(0.98, view.y + down / view.scale));
  view.follows = false;
  changed("map");
}

function follow() {
  view.follows = true;
  view.isChosen = false;
  view.fittedTo = undefined;
  changed("map");
}

/** Keeps the board in the inner half of the map. Fits the scale again only when it has to move the map. */
function centre(fix) {
  if (!view.follows) return;
  const known = [board.places.length > 0, board.track.length > 1, view.width].join();
  const isFitted = view.isChosen || view.fittedTo === known;
  const [x, y] = project(fix.lat, fix.lon);
  const isInside = Math.abs(x - view.width / 2) < view.width / 4 && Math.abs(y - view.height / 2) < view.height / 4;
  if (isFitted && isInside) return;
  if (!view.isChosen) fitView(fix);
  view.fittedTo = known;
  [view.x, view.y] = [mercatorX(fix.lon), mercatorY(fix.lat)];
}

function renderMap() {
  const map = byId("map");
  const fix = access() === "none" ? undefined : board.last;
  [view.width, view.height] = [map.clientWidth || 300, map.clientHeight || 240];
  byId("card-map").classList.toggle("empty", !fix);
  if (!fix) {
    patch(map, []);
    map.setAttribute("aria-label", "Map without a position");
    view.isChosen = false;
    view.follows = true;
    return patch(bodyOf("map"), [paragraph("No position to show.", "hint")]);
  }
  centre(fix);
  const meters = metersPerPixel();
  const isLocal = meters * view.width < localMeters;
  const bar = scaleBar(meters);
  map.classList.toggle("local", isLocal);
  map.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
  map.setAttribute("aria-label", `Map, ${distance(meters * view.width)} wide. ${nearestText()}`);
  byId("follow").setAttribute("aria-pressed", view.follows);
  patch(map, [
    svg(
      "g",
      {},
      isLocal ? grid(bar.pixels) : world(view, [view.x, view.y, view.scale, view.width, view.height].join()),
    ),
    svg("g", {}, trackPath(), accuracyCircle(fix, meters), placeMarks(fix, isLocal), boardMark(fix)),
    svg(
      "g",
      { class: "scale", transform: `translate(12 ${view.height - 12})` },
      svg("path", { class: "halo", d: `M0-5V0H${bar.pixels}V-5` }),
      svg("path", { d: `M0-5V0H${bar.pixels}V-5` }),
      svg("text", { x: 4, y: -6 }, bar.text),
    ),
    isLocal ? inset(fix) : svg("g"),
  ]);
  patch(bodyOf("map"), [placeList()]);
}

function scaleBar(meters) {
  const unit = imperial() ? (meters * 120 > 1609 ? 1609.344 : 0.3048) : nautical() && meters * 120 > 1852 ? 1852 : 1;
  const limit = (meters * 120) / unit;
  const power = 10 ** Math.floor(Math.log10(limit));
  const value = power * (limit / power >= 5 ? 5 : limit / power >= 2 ? 2 : 1);
  const text = unit === 0.3048 ? quantity(value, "ft") : distance(value * unit * 1.0001);
  return { pixels: Math.round((value * unit) / meters), text };
}

/** Returns a grid with the width of the scale bar, since there is no coastline at this scale. */
function grid(pixels) {
  const offset = (size, middle) => (((size / 2 - middle * view.scale) % pixels) + pixels) % pixels;
  let path = "";
  for (let left = offset(view.width, view.x); left < view.width; left += pixels) {
    path += `M${left.toFixed(1)} 0V${view.height}`;
  }
  for (let top = offset(view.height, view.y); top < view.height; top += pixels) {
    path += `M0 ${top.toFixed(1)}H${view.width}`;
  }
  return [svg("path", { class: "grid", d: path })];
}

function inset(fix) {
  const size = { width: 92, height: 64 };
  const part = { x: mercatorX(fix.lon), y: mercatorY(fix.lat), scale: 2600, ...size };
  return svg(
    "svg",
    { class: "inset", x: view.width - size.width - 8, y: view.height - size.height - 8, ...size },
    svg("rect", { class: "sea", ...size }),
    insetWorld(part),
    svg("circle", { class: "board", cx: size.width / 2, cy: size.height / 2, r: 3 }),
    svg("rect", { class: "frame", x: 0.5, y: 0.5, width: size.width - 1, height: size.height - 1 }),
  );
}

const insetCache = {};
function insetWorld(part) {
  const key = [part.x.toFixed(4), part.y.toFixed(4), !!coastline].join();
  if (insetCache.key !== key) Object.assign(insetCache, { key, nodes: world(part) });
  return insetCache.nodes.map((node) => node.cloneNode());
}

function trackPath() {
  let path = "";
  let before = -Infinity;
  for (const [seconds, lat, lon] of board.track) {
    const [x, y] = project(lat, lon);
    path += `${seconds - before > 90 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    before = seconds;
  }
  if (path && isCurrent()) {
    const [x, y] = project(board.last.lat, board.last.lon);
    path += `L${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return svg("path", { class: "track", d: path || "M0 0" });
}

function accuracyCircle(fix, meters) {
  const [cx, cy] = project(fix.lat, fix.lon);
  return svg("circle", { class: "accuracy", cx, cy, r: isNumber(fix.eph) ? Math.min(fix.eph / meters, 1e5) : 0 });
}

function boardMark(fix) {
  const [x, y] = project(fix.lat, fix.lon);
  const isMoving = fix.speed > 0.5 && isNumber(fix.track);
  return svg(
    "g",
    { class: "boardmark" + (isCurrent() ? "" : " lost"), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
    isMoving
      ? svg("path", { d: "M0-11L7.5 9L0 5L-7.5 9Z", transform: `rotate(${fix.track})` })
      : svg("circle", { r: 6 }),
  );
}

/** Returns the marks of the places. A name that would cover another one is left out. */
function placeMarks(fix, isLocal) {
  const taken = [[...project(fix.lat, fix.lon), 12, 12], [view.width - 27, 66, 25, 66], [70, view.height - 16, 70, 14]];
  if (isLocal) taken.push([view.width - 54, view.height - 40, 46, 32]);
  const isFree = (box) =>
    box[0] - box[2] > 0 && box[0] + box[2] < view.width &&
    taken.every((other) =>
      Math.abs(other[0] - box[0]) > other[2] + box[2] || Math.abs(other[1] - box[1]) > other[3] + box[3]
    );
  return board.places.map((place) => {
    const [x, y] = project(place.lat, place.lon);
    if (x < 4 || y < 12 || x > view.width - 4 || y > view.height - 4) return undefined;
    const name = plain(place.title ?? "", 28);
    const half = name.length * 3.4 + 2;
    const box = [x + 7 + half, x - 7 - half].map((middle) => [middle, y, half, 8]).find(isFree);
    if (box) taken.push(box);
    return svg(
      "g",
      { class: "place", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
      svg("circle", { r: 2.5 }),
      box && svg("text", box[0] > x ? { x: 7, y: 4 } : { x: -7, y: 4, "text-anchor": "end" }, name),
    );
  });
}

/** The direction from the board to a place. A bearing is that from the place to the board. */
const directionTo = (place) => (isNumber(place.bearing) ? compass(place.bearing + 180) : undefined);

function placeList() {
  if (!board.places.length) return paragraph("No places are known here.", "hint");
  return html(
    "ol",
    { class: "places", "aria-label": "Nearest places" },
    board.places.slice(0, 6).map((place) =>
      html(
        "li",
        {},
        html("bdi", {}, plain(place.title ?? "unnamed", 60)),
        place.country && html("span", { class: "hint" }, " " + plain(place.country, 8)),
        html("span", { class: "far" }, [distance(place.distance), directionTo(place)].filter(Boolean).join(" ")),
      )
    ),
  );
}

function listenToMap() {
  const map = byId("map");
  byId("zoom-in").addEventListener("click", () => zoom(2));
  byId("zoom-out").addEventListener("click", () => zoom(0.5));
  byId("follow").addEventListener("click", follow);
  const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  map.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !board.last) return;
    if (keys[event.key]) move(keys[event.key][0] * 60, keys[event.key][1] * 60);
    else if (event.key === "+" || event.key === "=") zoom(2);
    else if (event.key === "-") zoom(0.5);
    else if (event.key === "0") follow();
    else return;
    event.preventDefault();
  });
  listenToPointers(map);
}

/** Moves and zooms the map with a mouse, or, once the map has the focus, with one or two fingers. */
function listenToPointers(map) {
  const pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return b && Math.hypot(a.x - b.x, a.y - b.y);
  };
  map.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && document.activeElement !== map) return;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    map.setPointerCapture(event.pointerId);
  });
  map.addEventListener("pointermove", (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer || !board.last) return;
    const before = spread();
    move((pointer.x - event.clientX) / pointers.size, (pointer.y - event.clientY) / pointers.size);
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
    if (before > 10) zoom(spread() / before);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    map.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
}

// MARK: Weather

/** Returns a small picture of a condition. The text beside it has the same meaning. */
function weatherIcon(condition = "") {
  const name = String(condition);
  const has = (pattern) => pattern.test(name);
  const isBright = has(/^(clear|mainlyclear|partlycloudy)$|shower/);
  const isCloudy = !has(/^(clear|windy|mist|haze|fog|rimefog|smoke|dust|volcanicash)$/) && name;
  const drops = has(/rain|drizzle|sleet|storm|squall/) &&
    [7, 12, 17].map((x) => svg("path", { class: "wet", d: `M${x} 18l-2 4` }));
  const flakes = has(/snow|sleet|hail|blizzard/) &&
    [9, 15].map((x) => svg("circle", { class: "snow", cx: x, cy: 20.5, r: 1.5 }));
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    isBright &&
      svg(
        "g",
        { class: "sun", transform: isCloudy ? "translate(4 -3) scale(.85)" : undefined },
        svg("circle", { cx: 12, cy: 12, r: 4.5 }),
        svg("path", { d: "M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2" }),
      ),
    isCloudy && svg("path", { class: "cloud", d: "M7 16.5a4 4 0 0 1-.4-8A5 5 0 0 1 16 8.300a4 4 0 0 1 1 8.200Z" }),
    drops,
    flakes,
    has(/thunder/) && svg("path", { class: "bolt", d: "M13 12l-3 5h3l-1.500 5 4.500-6.500h-3l1.500-3.500Z" }),
    has(/^(mist|haze|fog|rimefog|smoke|dust|volcanicash|windy)$/) &&
      svg("path", { class: "haze", d: "M3 8h14M6 12h15M3 16h13M8 20h10" }),
  );
}

const weatherAge = () => (isNumber(board.weather?.age) ? board.weather.age : 0) + since(board.weatherAt);

function renderWeather() {
  const now = board.weather;
  if (!now) {
    const isOff = board.status?.daemon?.weather?.isOff;
    const text = access() === "none"
      ? "This session has no access to the weather at the position."
      : isOff
      ? "Weather is switched off in the configuration."
      : "No weather is known.";
    return patch(bodyOf("weather"), [paragraph(text, "hint")]);
  }
  const today = board.forecast?.days?.[0] ?? {};
  patch(bodyOf("weather"), [
    html(
      "div",
      { class: "now" + (now.stale ? " stale" : "") },
      now.kind && weatherIcon(now.condition),
      html("p", { class: "degrees" }, temperature(now.temperature) ?? "–"),
      html(
        "p",
        { class: "origin" },
        html("strong", {}, words(now.condition) ?? (now.kind ? "no condition" : "sun and moon only")),
        html("br"),
        originText(now),
      ),
    ),
    now.stale &&
    html(
      "p",
      { class: "stale" },
      [
        now.reason ?? "not a fresh report",
        isNumber(now.retryAfter) &&
        `next request after ${ageText(Math.max(0, now.retryAfter - since(board.weatherAt)))}`,
      ]
        .filter(Boolean).join("; "),
    ),
    facts([
      ["Feels like", temperature(now.apparentTemperature)],
      [
        "Wind",
        [
          wind(now.windSpeed),
          now.windSpeed > 0.3 && compass(now.windDirection) && `from ${compass(now.windDirection)}`,
          isNumber(now.windGust) && `gusts ${wind(now.windGust)}`,
        ]
          .filter(Boolean).join(", "),
      ],
      [
        "Rain",
        [rain(now.precipitation), isNumber(now.precipitationProbability) && percent(now.precipitationProbability)]
          .filter(Boolean).join(", "),
      ],
      ["Humidity", percent(now.humidity)],
      ["Dew point", temperature(now.dewPoint)],
      [
        "Pressure",
        [
          pressure(now.pressure),
          isNumber(now.pressureTendency) &&
          `${now.pressureTendency > 0 ? "+" : ""}${pressure(now.pressureTendency, 1)} in 3 h`,
        ].filter(Boolean).join(", "),
      ],
      ["Cloud", percent(now.cloudCover)],
      ["Visibility", distance(now.visibility)],
      ["Sunrise, sunset", sunText(now.sunrise ?? today.sunrise, now.sunset ?? today.sunset)],
      [
        "Moon",
        now.moon &&
        `${words(now.moon)}${isNumber(now.moonIllumination) ? `, ${percent(now.moonIllumination)} lit` : ""}`,
      ],
      ["Measured here", measuredText(now.measured)],
    ]),
    now.attribution && paragraph(now.attribution, "hint"),
  ]);
}

function originText(now) {
  if (!now.kind) return "";
  const kind = now.simulated ? `simulated ${now.kind}` : now.replayed ? `recorded ${now.kind}` : now.kind;
  return [
    kind,
    now.provider && `by ${plain(now.provider, 40)}`,
    `${ageText(weatherAge())} old`,
    isNumber(now.distance) && `for a point ${distance(now.distance)} away`,
    now.issued && `issued ${timeText(now.issued, { weekday: "short", hour: "numeric", minute: "2-digit" })}`,
  ].filter(Boolean).join(", ");
}

function measuredText(measured) {
  if (!measured) return undefined;
  const age = (isNumber(measured.age) ? measured.age : 0) + since(board.weatherAt);
  return [
    temperature(measured.temperature),
    percent(measured.humidity),
    pressure(measured.pressure),
    wind(measured.windSpeed),
    `${ageText(age)} old`,
  ]
    .filter(Boolean).join(", ");
}

// MARK: Forecast

/** Returns the hours that are not over, at most 48. */
function comingHours() {
  const hours = Array.isArray(board.forecast?.hours) ? board.forecast.hours : [];
  return hours.map((hour) => ({ ...hour, at: Date.parse(hour.time) })).filter(({ at }) => at > Date.now() - 3600000)
    .slice(0, 48);
}

function renderForecast() {
  const hours = comingHours();
  const days = (Array.isArray(board.forecast?.days) ? board.forecast.days : board.weather?.days ?? []).slice(0, 10);
  byId("hours-table").hidden = !hours.length;
  const place = byId("forecast");
  const age = board.forecast && isNumber(board.forecast.age) ? board.forecast.age + since(board.forecastAt) : undefined;
  patch(place, [
    hours.length > 1 && html("h3", {}, `Next ${hours.length} hours`),
    hours.length > 1 && chart(hours, days, Math.max(240, place.clientWidth)),
    age !== undefined &&
    paragraph(
      [
        `Forecast by ${plain(board.forecast.provider ?? "unknown", 40)}, ${ageText(age)} old`,
        board.forecast.attribution,
        !plain(board.forecast.attribution ?? "").includes(board.forecast.licence) && board.forecast.licence,
      ]
        .filter(Boolean).join(". "),
      "hint",
    ),
    days.length > 0 && dayTable(days),
  ]);
  renderHoursTable(hours);
}

/** Returns round values that cover `low` to `high` in about `count` steps. */
function steps(low, high, count) {
  const rough = Math.max(high - low, 1e-6) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999);
  const values = [];
  for (let value = Math.floor(low / step) * step;; value += step) {
    values.push(Number(value.toFixed(6)));
    if (value >= high - step * 1e-6) return values;
  }
}

function chart(hours, days, width) {
  const left = 38;
  const right = 8;
  const x = (index) => left + ((width - left - right) * index) / (hours.length - 1);
  const temperatures = hours.map((hour) => (isNumber(hour.temperature) ? degrees(hour.temperature) : undefined));
  const rains = hours.map((hour) => (isNumber(hour.precipitation) ? rainValue(hour.precipitation) : undefined));
  const winds = hours.map((hour) => (isNumber(hour.windSpeed) ? windValue(hour.windSpeed) : undefined));
  const gusts = hours.map((hour) => (isNumber(hour.windGust) ? windValue(hour.windGust) : undefined));
  const known = (values) => values.filter(isNumber);
  const range = (values, least) => [Math.min(...known(values)), Math.max(least, ...known(values))];
  const [coldest, warmest] = range(temperatures, -Infinity);
  const heaviest = range(rains, imperial() ? 0.04 : 1)[1];
  const strongest = range([...winds, ...gusts], 1)[1];
  const panels = [
    known(temperatures).length > 1 &&
    panel(
      `Temperature ${degreeUnit()}`,
      26,
      92,
      steps(coldest, warmest, 4),
      left,
      width - right,
      (y) => svg("path", { class: "temperature", d: curve(temperatures, x, y) }),
    ),
    known(rains).length > 1 &&
    panel(
      `Rain ${rainUnit()}`,
      146,
      44,
      steps(0, heaviest, 2),
      left,
      width - right,
      (y) =>
        rains.map((value, index) =>
          value > 0 &&
          svg("rect", {
            class: "rain",
            x: x(index) - Math.max(1.5, (x(1) - x(0)) * 0.36),
            width: Math.max(3, (x(1) - x(0)) * 0.72),
            y: y(value),
            height: y(0) - y(value),
          })
        ),
    ),
    known(winds).length > 1 &&
    panel(`Wind ${windUnit()}, gusts dashed`, 218, 52, steps(0, strongest, 3), left, width - right, (y) => [
      svg("path", { class: "gust", d: curve(gusts, x, y) }),
      svg("path", { class: "windline", d: curve(winds, x, y) }),
      windArrows(hours, winds, x, y),
    ]),
  ];
  const summary = [
    known(temperatures).length && `temperature ${number(coldest)} to ${number(warmest)} ${degreeUnit()}`,
    known(rains).length &&
    `rain ${number(known(rains).reduce((sum, value) => sum + value, 0), imperial() ? 2 : 1)} ${rainUnit()}`,
    known(winds).length && `wind up to ${number(Math.max(...known(winds)))} ${windUnit()}`,
  ].filter(Boolean).join(", ");
  return svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${width} 312`,
      width,
      height: 312,
      role: "img",
      "aria-label": `Forecast: ${summary}. The table has every hour.`,
    },
    nights(hours, days, x),
    hourMarks(hours, x, width),
    panels,
  );
}

function panel(title, top, height, marks, left, right, draw) {
  const [low, high] = [marks[0], marks.at(-1)];
  const y = (value) => Number((top + height - ((value - low) / (high - low || 1)) * height).toFixed(1));
  return svg(
    "g",
    {},
    svg("text", { class: "name", x: left, y: top - 7 }, title),
    svg("path", { class: "ring", d: marks.map((mark) => `M${left} ${y(mark)}H${right}`).join("") }),
    marks.filter((_, index) => marks.length < 5 || index % 2 === 0).map((mark) =>
      svg("text", { class: "tick", x: left - 5, y: y(mark) + 4 }, number(mark, 2))
    ),
    draw(y),
  );
}

function curve(values, x, y) {
  let path = "";
  values.forEach((value, index) => {
    if (isNumber(value)) path += `${isNumber(values[index - 1]) ? "L" : "M"}${x(index).toFixed(1)} ${y(value)}`;
  });
  return path || "M0 0";
}

/** Returns arrows that point where the wind blows to. */
function windArrows(hours, winds, x, y) {
  const every = Math.max(1, Math.ceil(22 / (x(1) - x(0))));
  return hours.map((hour, index) =>
    index % every === 0 && index > 0 && isNumber(hour.windDirection) && isNumber(winds[index]) &&
    svg("path", {
      class: "arrow",
      d: "M0-5V5M-3 2L0 5L3 2",
      transform: `translate(${x(index).toFixed(1)} ${y(0) + 10}) rotate(${hour.windDirection})`,
    })
  );
}

function nights(hours, days, x) {
  const [start, end] = [hours[0].at, hours.at(-1).at];
  const at = (time) => x(((Math.max(start, Math.min(end, time)) - start) / (end - start)) * (hours.length - 1));
  const suns = days.map((day) => [Date.parse(day.sunrise), Date.parse(day.sunset)]).filter(([rise, set]) =>
    rise > 0 && set > 0
  );
  if (!suns.length) return [];
  const dark = [
    [-Infinity, suns[0][0]],
    ...suns.map(([, set], index) => [set, suns[index + 1]?.[0] ?? set + 43200000]),
  ];
  return dark.filter(([from, to]) => to > start && from < end).map(([from, to]) =>
    svg("rect", { class: "night", x: at(from), y: 26, width: Math.max(0, at(to) - at(from)), height: 260 })
  );
}

function hourMarks(hours, x, width) {
  const every = width > 520 ? 6 : 12;
  const hourOf = (at) =>
    Number(timeText(at, { hour: "2-digit", hourCycle: "h23", bare: true, ...plainDigits }).replace(/\D/g, ""));
  return hours.map(({ at }, index) => {
    const hour = hourOf(at);
    if (!(hour % every === 0)) return undefined;
    const label = hour === 0 ? timeText(at, { weekday: "short" }) : timeText(at, { hour: "numeric", bare: true });
    const isVisible = x(index) < width - 16 && x(index) > 44;
    return svg(
      "g",
      {},
      svg("path", { class: hour === 0 ? "midnight" : "ring", d: `M${x(index).toFixed(1)} 26V286` }),
      isVisible && svg("text", { class: hour === 0 ? "hour name" : "hour", x: x(index), y: 302 }, label),
    );
  });
}
const plainDigits = { numberingSystem: "latn" };

function dayTable(days) {
  const name = (date) =>
    timeText(`${date}T12:00:00Z`, { weekday: "short", day: "numeric", timeZone: "UTC" }) ?? plain(date, 20);
  const bare = (value, convert, digits = 0) => (isNumber(value) ? number(convert(value), digits) : "–");
  return html(
    "table",
    { class: "days" },
    html("caption", { class: "hidden" }, "Forecast of the coming days"),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        ["Day", "Condition", `Low, high ${degreeUnit()}`, `Rain ${rainUnit()}`, `Wind ${windUnit()}`, "Sun"].map((
          title,
          index,
        ) => html("th", { scope: "col", class: index > 1 && "number" }, title)),
      ),
    ),
    html(
      "tbody",
      {},
      days.map((day) =>
        html(
          "tr",
          {},
          html("th", { scope: "row" }, name(day.date)),
          html(
            "td",
            {},
            html(
              "span",
              { class: "condition" },
              weatherIcon(day.condition),
              html("span", {}, words(day.condition) ?? ""),
            ),
          ),
          html(
            "td",
            { class: "number" },
            html("span", { class: "low" }, bare(day.min, degrees)),
            " ",
            bare(day.max, degrees),
          ),
          html(
            "td",
            { class: "number" },
            bare(day.precipitation, rainValue, imperial() ? 2 : 1),
            isNumber(day.precipitationProbability) &&
              html("span", { class: "hint chance" }, " " + percent(day.precipitationProbability)),
          ),
          html("td", { class: "number" }, bare(day.maxWindSpeed, windValue)),
          html("td", { class: "number sun" }, sunText(day.sunrise, day.sunset)),
        )
      ),
    ),
  );
}

function renderHoursTable(hours = comingHours()) {
  const details = byId("hours-table");
  if (!details.open) return;
  const time = (at) => timeText(at, { weekday: "short", hour: "numeric", minute: "2-digit" });
  patch(details.querySelector("div"), [
    table(
      "Forecast of the coming hours",
      ["Hour", "Condition", " Temperature", " Rain", " Chance", " Wind", " Gusts", "From"],
      hours.map((
        hour,
      ) => [
        time(hour.at),
        words(hour.condition),
        temperature(hour.temperature),
        rain(hour.precipitation),
        percent(hour.precipitationProbability),
        wind(hour.windSpeed),
        wind(hour.windGust),
        compass(hour.windDirection),
      ]),
    ),
  ]);
}

// MARK: Receivers, network, plugins

function renderBoard() {
  const daemon = board.status?.daemon ?? {};
  patch(bodyOf("board"), [
    html("h3", {}, "Receivers"),
    receiverList(),
    sourceFacts(daemon.source),
    html("h3", {}, "Network path"),
    pathText(board.path ?? daemon.path),
    gateList(),
    html("h3", {}, "Plugins"),
    pluginList(daemon.plugins),
    serverList(daemon.servers),
  ]);
}

/** Returns a word with a mark whose colour and shape show whether it is good. */
const light = (kind, text) => html("span", { class: `light ${kind}` }, text);

function receiverList() {
  const devices = [...board.devices.values()];
  if (!devices.length) return paragraph(access() === "none" ? "Hidden." : "No receiver is read.", "hint");
  return html(
    "ul",
    { class: "plain" },
    devices.map((device) =>
      html(
        "li",
        {},
        device.activated ? light("ok", "active") : light("bad", "unplugged"),
        " ",
        html("bdi", {}, device.path),
        " ",
        html(
          "span",
          { class: "hint" },
          [device.model, device.driver, isNumber(device.bps) && `${device.bps} baud`].filter(Boolean).join(", "),
        ),
      )
    ),
  );
}

function sourceFacts(source) {
  if (!source) return undefined;
  const notices = [source.noFix?.text, ...(source.notices ?? [])].filter(Boolean).slice(0, 4);
  const counts = source.lines?.text;
  const words = (source.messages ?? []).slice(0, 8).map(({ source: name, message, age, advice }) =>
    [[name, message].filter(Boolean).join(": "), isNumber(age) && `${ageText(age)} ago`, advice]
      .filter(Boolean).join("; ")
  );
  return html(
    "div",
    {},
    facts([
      ["Source", [source.name, source.state].filter(Boolean).join(", ")],
      ["Received", counts],
      ["Position", source.zeroPosition && "exactly 0° N, 0° E, which devices without a position send"],
      ["Checksums", source.unchecked && "the last fix is from sentences without a checksum"],
      ["Restarts", source.restarts > 0 && number(source.restarts)],
      ["Dropped events", source.droppedEvents > 0 && number(source.droppedEvents)],
      ["Last error", source.state !== "running" && source.lastError],
    ], "facts wide"),
    words.map((word) => paragraph(word, "hint")),
    notices.map((notice) => paragraph(notice, "warning")),
  );
}

const pathReasons = {
  noInterface: "no interface is up",
  noPermittedInterface: "no interface of a permitted type is up",
  noCarrier: "cable unplugged, or no wireless station in range",
  noAddress: "no running interface has an address",
  noDefaultRoute: "no route to the destination",
  linkLocalOnly: "only link-local addresses",
  dnsMissing: "no name server is configured",
  portal: "a captive portal answers",
  upstreamDead: "no answer from beyond the next hop",
  dnsFailing: "name resolution fails",
};

function pathText(path) {
  if (!path) return paragraph("The network path is unknown.", "hint");
  const kind = path.status === "satisfied" ? "ok" : path.status === "unsatisfied" ? "bad" : "warn";
  const text =
    { satisfied: "connected", unsatisfied: "no network", requiresConnection: "connects on demand" }[path.status] ??
      path.status;
  return html(
    "p",
    { id: "path" },
    light(kind, text),
    " ",
    html(
      "span",
      { class: "hint" },
      [
        path.message ?? pathReasons[path.reason] ?? path.reason,
        (path.interfaces ?? []).join(", "),
        path.expensive && "metered",
        path.constrained && "low data",
        path.scripted && "scripted",
      ].filter(Boolean).join("; "),
    ),
  );
}

function gateList() {
  const held = [...board.gates.values()].filter((gate) => gate.verdict === "held");
  return held.length > 0 &&
    html(
      "ul",
      { class: "plain" },
      held.map((gate) =>
        html(
          "li",
          {},
          light("warn", "holding"),
          " ",
          `gate ${plain(gate.gate, 60)}: ${plain(gate.reason ?? "", 120)}, ${number(gate.held ?? 0)} held, since ${
            ageText(since(gate.at))
          }`,
        )
      ),
    );
}

function stateAge(part) {
  return isNumber(part.stateAge) ? `since ${ageText(part.stateAge + since(board.statusAt))}` : undefined;
}

function isDown(plugin) {
  return Boolean(plugin.reason) && plugin.state !== "running";
}

function outage(plugin) {
  const oldest = isNumber(plugin.oldestAge) && plugin.queue > 0 &&
    `the oldest event has waited for ${ageText(plugin.oldestAge + since(board.statusAt))}`;
  return [plain(plugin.reason, 300), stateAge(plugin), oldest].filter(Boolean).join("; ");
}

const pluginLevels = { running: "ok", waiting: "warn", blocked: "warn", failed: "bad", stopped: "bad" };

function pluginList(plugins) {
  if (!Array.isArray(plugins)) {
    return paragraph(access() === "full" ? "Not known yet." : "Plugins are shown with full accuracy only.", "hint");
  }
  if (!plugins.length) return paragraph("No plugin is configured.", "hint");
  const age = (seconds) => (isNumber(seconds) ? `${ageText(seconds + since(board.statusAt))} ago: ` : "");
  return html(
    "ul",
    { class: "plugins" },
    plugins.slice(0, 64).map((plugin) =>
      html(
        "li",
        {},
        html(
          "span",
          {},
          light(pluginLevels[plugin.state] ?? "warn", plugin.state ?? "unknown"),
          " ",
          html("bdi", {}, `${plugin.role ?? ""} ${plain(plugin.name ?? "", 60)}`),
        ),
        html(
          "span",
          { class: "counts" },
          [["queue", plugin.queue || undefined], ["in", plugin.in], ["out", plugin.out], [
            "dropped",
            plugin.dropped,
            true,
          ], ["errors", plugin.errors, true]]
            .map(([name, value, isTrouble]) =>
              isNumber(value) &&
              html(
                "span",
                { class: isTrouble && value > 0 && "stale" },
                html("span", { class: "hint" }, name),
                " ",
                number(value),
              )
            ),
        ),
        isDown(plugin) && paragraph(outage(plugin), "warning"),
        plugin.lastError && plugin.lastError !== plugin.reason && paragraph(age(plugin.errorAge) + plain(plugin.lastError, 300), "warning"),
      )
    ),
  );
}

function serverList(servers) {
  if (!Array.isArray(servers) || !servers.length) return undefined;
  return [
    html("h3", {}, "Servers"),
    html(
      "ul",
      { class: "plain" },
      servers.slice(0, 16).map((server) => {
        const isOff = !server.listening?.length && !server.failures?.length;
        const counts = ["clients", "refused", "dropped"].map((name) =>
          isNumber(server[name]) && !isOff && `${number(server[name])} ${name}`
        );
        return html(
          "li",
          {},
          light(server.failures?.length ? "bad" : isOff ? "off" : "ok", server.name),
          " ",
          html(
            "span",
            { class: "hint" },
            [isOff && "off", server.state === "failed" && stateAge(server), ...(server.listening ?? []), ...(server.failures ?? []), ...counts]
              .filter(Boolean).join(", "),
          ),
        );
      }),
    ),
  ];
}

// MARK: Health

function renderHealth() {
  const status = board.status;
  if (!status) return patch(bodyOf("health"), [paragraph("The status is not known yet.", "hint")]);
  const daemon = status.daemon ?? {};
  const weather = daemon.weather ?? {};
  const isOld = since(board.statusAt) > staleSeconds;
  const [level, text, detail] = describeState();
  const troubles = [
    ["warn", "bad"].includes(level) && [text, detail].filter(Boolean).join(": "),
    ...(daemon.configuration?.wrong ?? []),
    ...(daemon.configuration?.secretErrors ?? []),
    daemon.configuration?.isBroken && "The configuration is invalid; the previous one is active.",
    daemon.stateFault,
    daemon.clock?.text,
    weather.lastError && `weather: ${plain(weather.lastError, 300)}`,
    ...(Array.isArray(daemon.plugins) ? daemon.plugins : []).filter(isDown)
      .map((plugin) => `${plain(plugin.role ?? "", 20)} ${plain(plugin.name ?? "", 60)}: ${outage(plugin)}`),
    ...(Array.isArray(daemon.servers) ? daemon.servers : []).filter((server) => server.state === "failed")
      .map((server) => `${plain(server.name ?? "", 60)} server: ${plain(server.failures?.[0] ?? "failed", 300)}`),
    daemon.lostLogLines > 0 && `${number(daemon.lostLogLines)} log lines lost`,
    daemon.lostAuditLines > 0 && `${number(daemon.lostAuditLines)} lines of the audit log lost`,
  ].filter(Boolean).slice(0, 8);
  patch(bodyOf("health"), [
    html(
      "p",
      {},
      troubles.length ? light("warn", "needs attention") : light("ok", "no trouble reported"),
      " ",
      html("span", { class: isOld ? "stale" : "hint" }, `${ageText(since(board.statusAt))} old`),
    ),
    troubles.map((text) => paragraph(text, "warning")),
    facts([
      ["Fixcast", daemon.release],
      ["Running for", isNumber(daemon.uptime) && ageText(daemon.uptime + since(board.statusAt))],
      ["You are", status.client],
      [
        "Access",
        board.auth &&
        `${words(board.auth.status)}${access() === "none" ? "" : `, ${board.auth.accuracy}`}${
          board.role ? `, may ${plain(board.role, 20)}` : ""
        }`,
      ],
      [
        "Connections",
        isNumber(status.connections) && `${number(status.connections)}, ${number(status.refused ?? 0)} refused`,
      ],
      ["Positions", isNumber(daemon.locations) && `${number(daemon.locations)}, ${number(daemon.held ?? 0)} held`],
      [
        "Weather lookups",
        daemon.lookups &&
        `${number(daemon.lookups.asked ?? 0)} asked, ${number(daemon.lookups.answered ?? 0)} answered, ${
          number(daemon.lookups.failed ?? 0)
        } failed`,
      ],
      [
        "Weather",
        weather.isOff ? "off" : [
          weather.provider,
          isNumber(weather.answerAge) && `answered ${ageText(weather.answerAge + since(board.statusAt))} ago`,
          weather.held && `held: ${plain(weather.held, 120)}`,
        ].filter(Boolean).join(", "),
      ],
      [
        "Weather error",
        weather.lastError &&
        `${isNumber(weather.errorAge) ? `${ageText(weather.errorAge + since(board.statusAt))} ago: ` : ""}${
          plain(weather.lastError, 500)
        }`,
      ],
      ["Configuration", (daemon.configuration?.files ?? []).join(", ")],
    ], "facts wide"),
    board.errors.length > 0 && html("h3", {}, "Errors since this page was opened"),
    board.errors.length > 0 &&
    html(
      "ul",
      { class: "plain" },
      board.errors.map((error) =>
        html(
          "li",
          {},
          html("span", { class: "hint" }, `${ageText(since(error.at))} ago`),
          ` ${[error.source, error.message].filter(Boolean).map((text) => plain(text, 200)).join(": ")}`,
        )
      ),
    ),
  ]);
}

// MARK: Start

const renderers = {
  position: renderPosition,
  requests: renderRequests,
  sky: renderSky,
  map: renderMap,
  weather: renderWeather,
  forecast: renderForecast,
  board: renderBoard,
  health: renderHealth,
};

/** Shows the new ages, which change without an event. Ages of a minute or more change seldom. */
let ticks = 0;
function tick() {
  checkLink();
  ticks += 1;
  changed("position");
  if (ticks % 2) changed("board", "health");
  if (ticks % 10 === 0) changed("weather");
  if (board.skyAt && since(board.skyAt) > 1.5) changed("sky");
}

function start() {
  document.documentElement.classList.add("live");
  forgetAll();
  takeKey();
  byId("log-out").hidden = !sessionKey();
  byId("log-out").addEventListener("click", logOut);
  byId("card-position").addEventListener("click", copyPosition);
  loadSettings();
  listenToMap();
  byId("sky-table").addEventListener("toggle", () => renderSkyTable());
  byId("hours-table").addEventListener("toggle", () => renderHoursTable());
  document.addEventListener("visibilitychange", resume);
  window.addEventListener("pageshow", (event) => event.persisted && resume());
  window.addEventListener("pagehide", closeStream);
  let width = 0;
  new ResizeObserver(() => {
    if (width !== window.innerWidth) changed("map", "forecast");
    width = window.innerWidth;
  }).observe(document.body);
  loadCoastline().catch(() => {});
  openStream();
  loadStatus();
  setInterval(tick, 500);
  setInterval(() => changed("forecast"), 60000);
}

start();
