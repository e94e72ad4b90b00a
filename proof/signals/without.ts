/** Loads one file of the service without one of its defences: `POSTERN_WITHOUT` is the defence's place in the list. */
import { registerHooks } from 'node:module';
import { DEFENCES } from './defences.ts';

const defence = DEFENCES[Number(process.env.POSTERN_WITHOUT)];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (defence === undefined || !url.endsWith(`/src/signals/${defence.file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(defence.code)) throw new Error(`${defence.file} has no ${defence.code}`);
    return { ...loaded, source: source.replace(defence.code, () => defence.without) };
  },
});
