import { guardSite } from '@postern/client/cloudfront';
import settings from './config.mjs';

export const handler = guardSite(settings);
