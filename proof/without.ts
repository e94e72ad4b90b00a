/** Loads one file of the service without one of its defences: `POSTERN_WITHOUT` has it as JSON. */
import { registerHooks } from 'node:module';

/** A piece of the code without which a promise does not hold. */
export interface TakenOut {
  /** Below src. */
  file: string;
  code: string;
  without: string;
}

const { file, code, without } = JSON.parse(process.env.POSTERN_WITHOUT ?? '{}') as Partial<TakenOut>;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (file === undefined || code === undefined || !url.endsWith(`/src/${file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(code)) throw new Error(`${file} has no ${code}`);
    return { ...loaded, source: source.replace(code, () => without ?? '') };
  },
});
