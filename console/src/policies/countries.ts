/** Countries by their English names, as the browser knows them. */
const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Regions without a code of ISO 3166 of their own: unions, parts of countries, pseudo-locales, unknown. */
const NO_COUNTRIES: ReadonlySet<string> = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));
/** Codes of countries that are gone stand for their successors. */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code;

export const COUNTRIES: { value: string; label: string }[] = LETTERS.flatMap((first) =>
  LETTERS.flatMap((second) => {
    const value = first + second;
    const name = NO_COUNTRIES.has(value) || !isCurrent(value) ? undefined : names.of(value);
    return name === undefined ? [] : [{ value, label: name }];
  }),
).toSorted((a, b) => a.label.localeCompare(b.label));

export const countryName = (code: string): string => COUNTRIES.find(({ value }) => value === code)?.label ?? code;
