/** Random tokens of sessions and links. The store holds their SHA-256, which is enough for tokens of this size. */
import { hash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newToken = (): string => randomBytes(32).toString('base64url');
export const isToken = (text: string): boolean => TOKEN.test(text);
export const hashToken = (token: string): string => hash('sha256', token, 'base64url');
