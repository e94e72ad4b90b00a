/** The pages of the console: source of the navigation, the command palette and the routes. */
import {
  IconActivity,
  IconBook2,
  IconCertificate,
  IconChartBar,
  IconEye,
  IconFileText,
  IconFolders,
  IconHistory,
  IconInbox,
  IconKey,
  IconListSearch,
  IconReceipt,
  IconRobot,
  IconScale,
  IconTag,
  IconTargetArrow,
  IconUserShield,
  IconUsers,
  IconWebhook,
  IconWorldShare,
} from '@tabler/icons-react';
import type { Permission } from './session.tsx';

export interface Place {
  path: string;
  label: string;
  about: string;
  icon: typeof IconActivity;
  /** The permission that the page requires. */
  permission: Permission;
  group: 'Traffic' | 'Terms' | 'Operation';
}

export const PLACES: readonly Place[] = [
  {
    path: '/',
    label: 'Overview',
    about: 'Allowed, denied, and who is denied most',
    icon: IconChartBar,
    permission: 'analytics:read',
    group: 'Traffic',
  },
  {
    path: '/decisions',
    label: 'Decisions',
    about: 'Every decision and why',
    icon: IconListSearch,
    permission: 'analytics:read',
    group: 'Traffic',
  },
  {
    path: '/visitors',
    label: 'Visitors',
    about: 'Who reads which pages, and who lies about its name',
    icon: IconEye,
    permission: 'analytics:read',
    group: 'Traffic',
  },
  {
    path: '/demand',
    label: 'Demand',
    about: 'Who is denied for want of a license, for what, and what it would bring',
    icon: IconTargetArrow,
    permission: 'analytics:read',
    group: 'Traffic',
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
    path: '/collections',
    label: 'Collections',
    about: 'Policies for addresses',
    icon: IconFolders,
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
    path: '/sites',
    label: 'Sites',
    about: 'Policies, published for machines',
    icon: IconWorldShare,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/requesters',
    label: 'Partners & bots',
    about: 'Requesters and their usage',
    icon: IconUsers,
    permission: 'requesters:read',
    group: 'Terms',
  },
  {
    path: '/crawlers',
    label: 'Crawlers',
    about: 'Known bots and their operators',
    icon: IconRobot,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/licenses',
    label: 'Licenses',
    about: 'Who may, and until when',
    icon: IconCertificate,
    permission: 'requesters:read',
    group: 'Terms',
  },
  {
    path: '/offers',
    label: 'Offers',
    about: 'What a license costs',
    icon: IconTag,
    permission: 'policies:read',
    group: 'Terms',
  },
  {
    path: '/requests',
    label: 'Requests',
    about: 'Licenses that partners ask for',
    icon: IconInbox,
    permission: 'requesters:read',
    group: 'Terms',
  },
  {
    path: '/statements',
    label: 'Statements',
    about: 'What each license used, and what it costs',
    icon: IconReceipt,
    permission: 'requesters:read',
    group: 'Terms',
  },
  {
    path: '/users',
    label: 'Users',
    about: 'People who sign in, and their roles',
    icon: IconUserShield,
    permission: 'api_keys:manage',
    group: 'Operation',
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
    about: 'What your systems are sent',
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
    about: 'Version, storage, backlog',
    icon: IconActivity,
    permission: 'api_keys:manage',
    group: 'Operation',
  },
];

export const DOCS = { href: '/docs', label: 'API reference', icon: IconBook2 };
