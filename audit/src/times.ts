/** Times of log lines, in the forms that servers write: CLF, ISO, and seconds, ms, µs or ns since 1970. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLF = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d+)? ([+-])(\d\d)(\d\d)$/;
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?(Z|[+-]\d\d:?\d\d))?$/i;
const EPOCH = /^\d{9,20}(\.\d+)?$/;
/** Logs are of the web's time: 1990 to 2100. */
const EARLIEST = Date.UTC(1990);
const LATEST = Date.UTC(2100);

/** Returns epoch ms; undefined for anything that is no such time. */
export function parseTime(value: unknown): number | undefined {
  const at = typeof value === 'number' ? toMs(value) : typeof value === 'string' ? fromText(value) : undefined;
  return at !== undefined && at >= EARLIEST && at < LATEST ? at : undefined;
}

function fromText(text: string): number | undefined {
  if (text.charCodeAt(2) === SLASH) return fromClf(text);
  if (EPOCH.test(text)) return toMs(Number(text));
  if (!ISO.test(text)) return undefined;
  const iso = text
    .replace(' ', 'T')
    .replace(',', '.')
    .replace(/ (?=[Z+-])/i, '');
  // A time without a zone is UTC.
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : `${iso}Z`);
  // A day that the month does not have would be one of the next.
  const hasDay = new Date(`${iso.slice(0, 10)}T00:00Z`).getUTCDate() === Number(iso.slice(8, 10));
  return Number.isNaN(at) || !hasDay ? undefined : at;
}

const SLASH = 0x2f;

/** Finds the unit by the size: times of 1990 to 2100 do not overlap. */
function toMs(value: number): number {
  if (value < 1e11) return Math.floor(value * 1000);
  if (value < 1e14) return Math.floor(value);
  return Math.floor(value < 1e17 ? value / 1e3 : value / 1e6);
}

function fromClf(text: string): number | undefined {
  const found = CLF.exec(text);
  if (found === null) return undefined;
  const [, day, name = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] = found;
  const month = MONTHS.indexOf(name.toLowerCase());
  const time = toTimeOfDay(Number(hour), Number(minute), Number(second));
  if (month === -1 || time === undefined || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined;
  const midnight = new Date(Date.UTC(Number(year), month, Number(day)));
  // A day that the month does not have would be one of the next.
  if (midnight.getUTCDate() !== Number(day)) return undefined;
  const at = midnight.getTime() + time;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? at + zone : at - zone;
}

/** Adjacent lines have the same day and zone: only the time of the day is read again. */
export function rememberingTimes(): (text: string) => number | undefined {
  let day = '';
  let zone = '';
  let midnight = 0;
  return (text) => {
    const hasDay = text.length === CLF_LENGTH && text.startsWith(day) && text.endsWith(zone) && day !== '';
    const since = hasDay ? sinceMidnight(text) : undefined;
    if (since !== undefined) return midnight + since;
    const at = parseTime(text);
    const read = at === undefined || text.length !== CLF_LENGTH ? undefined : sinceMidnight(text);
    if (at !== undefined && read !== undefined) {
      day = text.slice(0, TIME_AT);
      zone = text.slice(ZONE_AT);
      midnight = at - read;
    }
    return at;
  };
}

const CLF_LENGTH = '01/Jan/2026:00:00:00 +0000'.length;
const TIME_AT = '01/Jan/2026:'.length;
const ZONE_AT = CLF_LENGTH - ' +0000'.length;

/** The milliseconds of `hh:mm:ss` in a CLF time. */
function sinceMidnight(text: string): number | undefined {
  const [hours, minutes, seconds] = [digits(text, TIME_AT), digits(text, TIME_AT + 3), digits(text, TIME_AT + 6)];
  if (text.charCodeAt(TIME_AT + 2) !== COLON || text.charCodeAt(TIME_AT + 5) !== COLON) return undefined;
  return hours >= 0 && minutes >= 0 && seconds >= 0 ? toTimeOfDay(hours, minutes, seconds) : undefined;
}

/** Second 60 is a leap second. */
const toTimeOfDay = (hours: number, minutes: number, seconds: number): number | undefined =>
  hours < 24 && minutes < 60 && seconds <= 60 ? ((hours * 60 + minutes) * 60 + seconds) * 1000 : undefined;

const COLON = 0x3a;
const ZERO = 0x30;

/** Two digits as a number; -1 for anything else. */
function digits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}
