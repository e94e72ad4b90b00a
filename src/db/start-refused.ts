/** Keeps the service from starting. The message names what to change. */
export class StartRefused extends Error {}
