import { guardSite } from '@postern/client/netlify';

export default guardSite();

// Without a path it would never run. `fail`: an error of the function itself serves nothing.
export const config = { path: '/*', onError: 'fail' };
