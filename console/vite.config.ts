/**
 * Builds the console into dist: hashed files under assets, and a page whose nonce the service fills in. The mode
 * `partner` adds the page of partners. It is a build of its own, so that neither page loads what only the other needs.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const DIST = join(import.meta.dirname, 'dist');

/** The service sends what is there already; compressing it for each answer would cost more than the answer. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    closeBundle() {
      const assets = join(DIST, 'assets');
      for (const name of readdirSync(assets)) {
        if (!/\.(js|css|svg)$/.test(name) || existsSync(join(assets, `${name}.br`))) continue;
        const bytes = readFileSync(join(assets, name));
        writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes));
      }
    },
  };
}

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), compressed()],
  html: { cspNonce: '__POSTERN_NONCE__' },
  build: {
    outDir: DIST,
    emptyOutDir: mode !== 'partner',
    rolldownOptions: { input: join(import.meta.dirname, mode === 'partner' ? 'partner.html' : 'index.html') },
    // A file small enough to be put into the page would need a policy that lets pages carry code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
}));
