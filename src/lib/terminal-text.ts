/** Text for a terminal: with colors of ours, and without anything of others that would control it. */
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Colors a text where the terminal takes colors. */
export const paint = ({ color }: { color: boolean }, style: Style, text: string): string =>
  color ? styleText(style, text, { validateStream: false }) : text;

/** Replaces control characters, so that text from elsewhere cannot control the terminal. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
