import { ConfigStore } from 'fastly:config-store';
import { SecretStore } from 'fastly:secret-store';
import { guardSite, SETTINGS } from '@postern/client/fastly';

const guard = guardSite(async () => {
  const store = new ConfigStore('postern');
  const key = await new SecretStore('postern').get('POSTERN_KEY');
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, store.get(name)]));
  return { ...settings, POSTERN_KEY: await key?.plaintext() };
});

addEventListener('fetch', (event) => event.respondWith(guard(event)));
