/**
 * Adds to package-lock.json the platform packages that the registry in use does not carry: `npm ci` refuses a lock file
 * without them, on every platform. Run after `npm install` where it is needed; changes nothing when nothing is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> };
let added = 0;
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const os = SYSTEMS.find((system) => name.includes(system));
    const cpu = PROCESSORS.find((processor) => name.includes(processor));
    if (lock.packages[path] !== undefined || os === undefined || cpu === undefined) continue;
    const libc = name.includes('musl') ? { libc: ['musl'] } : name.includes('gnu') ? { libc: ['glibc'] } : {};
    const dev = parent.dev === true ? { dev: true } : {};
    lock.packages[path] = { version, cpu: [cpu], ...dev, ...libc, optional: true, os: [os] };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
if (added > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} entries added\n`);
