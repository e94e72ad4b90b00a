#!/usr/bin/env -S node --
/**
 * The command, on the Node.js that Postern needs: this one if it is new enough, else the one that was installed beside
 * the package. Plain JavaScript for Node.js 20, because that is what may be reading it. After `--`, Node.js takes no
 * option of the command for its own, such as `--env-file`.
 */
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAJOR = 26;
const args = process.argv.slice(2);
// A plain `serve` needs nothing of the command, whose modules would take longer to load than those of the service.
const isService = (args.length === 0 || (args.length === 1 && args[0] === 'serve')) && !process.env.POSTERN_ENV_FILE;
const part = isService ? 'main' : 'postern';
const source = new URL(`../src/${part}.ts`, import.meta.url);
const entry = existsSync(source) && !(await isBuilt()) ? source : new URL(`../dist/${part}.js`, import.meta.url);

// Before the first module: what strips types from TypeScript takes longer to load than what the cache holds.
module.enableCompileCache?.();
if (Number(process.versions.node.split('.')[0]) >= MAJOR) await import(entry.href);
else await runOn(installedNode());

/** A package has no sources to look at. */
async function isBuilt() {
  return (await import('./built.js')).isBuilt();
}

/** @param {string | undefined} node */
async function runOn(node) {
  if (node === undefined) {
    process.stderr.write(
      `Postern needs Node.js ${MAJOR}; this is ${process.versions.node}, and none came with the installation on ` +
        `${process.platform} ${process.arch}. Install Node.js ${MAJOR} or newer and run the command again.\n`,
    );
    process.exit(1);
  }
  // Loaded where it is needed: a start without it takes a fifth less until the service's own modules.
  const { spawn } = await import('node:child_process');
  const child = spawn(node, ['--', fileURLToPath(entry), ...(isService ? [] : args)], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function installedNode() {
  const { resolve } = createRequire(import.meta.url);
  for (const name of [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]) {
    try {
      const node = join(dirname(resolve(`${name}/package.json`)), 'bin', 'node');
      if (existsSync(node)) return node;
    } catch {
      // Not for this platform.
    }
  }
  return undefined;
}
