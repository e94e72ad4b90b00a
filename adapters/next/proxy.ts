import { guardSite } from '@postern/client/next';
import { NextResponse } from 'next/server';

export const proxy = guardSite(process.env, NextResponse);

// Everything. The guard lets the scripts and styles of the build pass, in no other spelling of their paths.
export const config = { matcher: '/:path*' };
