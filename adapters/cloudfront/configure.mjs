// Lambda@Edge has no environment: this writes the settings of the environment into the function.
import { writeFileSync } from 'node:fs';
import { SETTINGS } from '@postern/client/cloudfront';

// Nothing else of the shell, which may also hold the secrets of the service.
const settings = Object.fromEntries([...SETTINGS, 'POSTERN_KEY'].map((name) => [name, process.env[name]]));
const file = new URL('config.mjs', import.meta.url);
writeFileSync(file, `export default ${JSON.stringify(settings, null, 2)};\n`, { mode: 0o600 });
// Fails here, with the name of a setting that is missing, instead of at the first visitor.
await import('./index.mjs');
