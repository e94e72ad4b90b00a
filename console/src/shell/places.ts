/** Where one can go: the navigation, the command palette and the routes are made from it. */
import {
  IconActivity,
  IconBook2,
  IconCertificate,
  IconChartBar,
  IconFileText,
  IconHistory,
  IconKey,
  IconListSearch,
  IconScale,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import type { Permission } from './session.tsx';

export interface Place {
  path: string;
  label: string;
  about: string;
  icon: typeof IconActivity;
  /** What a key needs to see it. */
  permission: Permission;
  group: 'Demand' | 'Terms' | 'Operation';
}

export const PLACES: readonly Place[] = [
  {
    path: '/',
    label: 'Overview',
    about: 'Allowed, denied, and who is turned away',
    icon: IconChartBar,
    permission: 'analytics:read',
    group: 'Demand',
  },
  {
    path: '/decisions',
    label: 'Decisions',
    about: 'Every decision and why',
    icon: IconListSearch,
    permission: 'analytics:read',
    group: 'Demand',
  },
  {
    path: '/content',
    label: 'Content',
    about: 'What you own',
    icon: IconFileText,
    permission: 'content:read',
    group: 'Terms',
  },
  {
    path: '/policies',
    label: 'Policies',
    about: 'The rules',
    icon: IconScale,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/requesters',
    label: 'Requesters',
    about: 'Who asks',
    icon: IconUsers,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/licenses',
    label: 'Licences',
    about: 'Who may, and until when',
    icon: IconCertificate,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/keys',
    label: 'API keys',
    about: 'Who may call the API',
    icon: IconKey,
    permission: 'api_keys:manage',
    group: 'Operation',
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    about: 'Who is told of what',
    icon: IconWebhook,
    permission: 'webhooks:manage',
    group: 'Operation',
  },
  {
    path: '/audit',
    label: 'Audit log',
    about: 'Who changed what',
    icon: IconHistory,
    permission: 'api_keys:manage',
    group: 'Operation',
  },
  {
    path: '/status',
    label: 'Status',
    about: 'Version, storage, lag',
    icon: IconActivity,
    permission: 'api_keys:manage',
    group: 'Operation',
  },
];

export const DOCS = { href: '/docs', label: 'API reference', icon: IconBook2 };
