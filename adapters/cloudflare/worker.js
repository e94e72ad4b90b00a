import { guardSite } from '@postern/client/cloudflare';

export default guardSite();
