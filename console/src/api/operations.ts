/** Written by scripts/console-api.ts from /openapi.json; do not edit. */

export interface Operations {
  'POST /v1/access/check': {
    path: {};
    query: {};
    body: {
      contentId: string;
      requesterId?: string;
      permission?: string;
      purpose?: string;
      context?: { ip?: string; country?: string; userAgent?: string };
      license?: { type: string; features?: string[]; expiresAt?: string | null };
      explain?: boolean;
      dryRun?: boolean;
      asOf?: string;
    };
    answer: {
      id: string | null;
      object: 'access_decision';
      allowed: boolean;
      action: 'allow' | 'deny';
      reason:
        | 'no_license'
        | 'license_expired'
        | 'rate_limit_exceeded'
        | 'permission_not_granted'
        | 'content_archived'
        | 'requester_suspended'
        | 'policy_denied'
        | null;
      message: string;
      permissions: string[];
      contentId: string;
      externalId: string;
      requesterId: string | null;
      policyId: string;
      policyVersion: number;
      matchedRule: { index: number; priority: number } | null;
      licenseId: string | null;
      rateLimit: {
        limit: number;
        remaining: number;
        period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
        resetAt: string;
        retryAfter?: number;
      } | null;
      recorded: boolean;
      created: string;
      maxAge?: number;
      explanation?: unknown;
      remedies?: (
        | {
            kind: 'license';
            licenseType: string[] | null;
            licenseFeatures: string[];
            licenseExpiry?: { after?: string; before?: string };
            rule: number;
          }
        | { kind: 'permission'; permissions: string[] }
        | { kind: 'wait'; until: string }
      )[];
    };
  };
  'POST /v1/access/check/batch': {
    path: {};
    query: {};
    body: { checks: unknown[] };
    answer: {
      object: 'list';
      data: (
        | {
            id: string | null;
            object: 'access_decision';
            allowed: boolean;
            action: 'allow' | 'deny';
            reason:
              | 'no_license'
              | 'license_expired'
              | 'rate_limit_exceeded'
              | 'permission_not_granted'
              | 'content_archived'
              | 'requester_suspended'
              | 'policy_denied'
              | null;
            message: string;
            permissions: string[];
            contentId: string;
            externalId: string;
            requesterId: string | null;
            policyId: string;
            policyVersion: number;
            matchedRule: { index: number; priority: number } | null;
            licenseId: string | null;
            rateLimit: {
              limit: number;
              remaining: number;
              period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
              resetAt: string;
              retryAfter?: number;
            } | null;
            recorded: boolean;
            created: string;
            maxAge?: number;
            explanation?: unknown;
            remedies?: (
              | {
                  kind: 'license';
                  licenseType: string[] | null;
                  licenseFeatures: string[];
                  licenseExpiry?: { after?: string; before?: string };
                  rule: number;
                }
              | { kind: 'permission'; permissions: string[] }
              | { kind: 'wait'; until: string }
            )[];
          }
        | { error: { code: string; message: string; type: string } }
      )[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/access/decisions': {
    path: {};
    query: {
      limit?: number;
      cursor?: string;
      contentId?: string;
      requesterId?: string;
      policyId?: string;
      allowed?: boolean;
      reason?:
        | 'no_license'
        | 'license_expired'
        | 'rate_limit_exceeded'
        | 'permission_not_granted'
        | 'content_archived'
        | 'requester_suspended'
        | 'policy_denied';
      from?: string;
      to?: string;
    };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string | null;
        object: 'access_decision';
        allowed: boolean;
        action: 'allow' | 'deny';
        reason:
          | 'no_license'
          | 'license_expired'
          | 'rate_limit_exceeded'
          | 'permission_not_granted'
          | 'content_archived'
          | 'requester_suspended'
          | 'policy_denied'
          | null;
        message: string;
        permissions: string[];
        contentId: string;
        externalId: string;
        requesterId: string | null;
        policyId: string;
        policyVersion: number;
        matchedRule: { index: number; priority: number } | null;
        licenseId: string | null;
        rateLimit: {
          limit: number;
          remaining: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          resetAt: string;
          retryAfter?: number;
        } | null;
        recorded: boolean;
        created: string;
        maxAge?: number;
        explanation?: unknown;
        remedies?: (
          | {
              kind: 'license';
              licenseType: string[] | null;
              licenseFeatures: string[];
              licenseExpiry?: { after?: string; before?: string };
              rule: number;
            }
          | { kind: 'permission'; permissions: string[] }
          | { kind: 'wait'; until: string }
        )[];
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/access/decisions/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string | null;
      object: 'access_decision';
      allowed: boolean;
      action: 'allow' | 'deny';
      reason:
        | 'no_license'
        | 'license_expired'
        | 'rate_limit_exceeded'
        | 'permission_not_granted'
        | 'content_archived'
        | 'requester_suspended'
        | 'policy_denied'
        | null;
      message: string;
      permissions: string[];
      contentId: string;
      externalId: string;
      requesterId: string | null;
      policyId: string;
      policyVersion: number;
      matchedRule: { index: number; priority: number } | null;
      licenseId: string | null;
      rateLimit: {
        limit: number;
        remaining: number;
        period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
        resetAt: string;
        retryAfter?: number;
      } | null;
      recorded: boolean;
      created: string;
      maxAge?: number;
      explanation?: unknown;
      remedies?: (
        | {
            kind: 'license';
            licenseType: string[] | null;
            licenseFeatures: string[];
            licenseExpiry?: { after?: string; before?: string };
            rule: number;
          }
        | { kind: 'permission'; permissions: string[] }
        | { kind: 'wait'; until: string }
      )[];
    };
  };
  'GET /v1/analytics/usage': {
    path: {};
    query: {
      period?: '7d' | '30d' | '90d' | 'year' | 'all';
      startDate?: string;
      endDate?: string;
      groupBy?: 'hour' | 'day' | 'week' | 'month';
      timezone?: string;
      contentId?: string;
      requesterId?: string;
      type?: 'article' | 'report' | 'image' | 'dataset' | 'video';
      reason?:
        | 'no_license'
        | 'license_expired'
        | 'rate_limit_exceeded'
        | 'permission_not_granted'
        | 'content_archived'
        | 'requester_suspended'
        | 'policy_denied';
      limit?: number;
    };
    body: undefined;
    answer: {
      object: 'usage_report';
      summary: {
        totalRequests: number;
        allowed: number;
        denied: number;
        uniqueRequesters: number;
        uniqueContent: number;
      };
      timeSeries: { date: string; requests: number; allowed: number; denied: number }[];
      topContent: { id: string; title: string; requests: number }[];
      topRequesters: { id: string; name: string; requests: number }[];
      byDenialReason: {
        reason:
          | 'no_license'
          | 'license_expired'
          | 'rate_limit_exceeded'
          | 'permission_not_granted'
          | 'content_archived'
          | 'requester_suspended'
          | 'policy_denied';
        count: number;
      }[];
      period: { startDate: string; endDate: string; groupBy: 'hour' | 'day' | 'week' | 'month'; timezone: string };
    };
  };
  'POST /v1/api-keys': {
    path: {};
    query: {};
    body: {
      name: string;
      type: 'secret' | 'public';
      permissions?: (
        | 'content:read'
        | 'content:write'
        | 'policies:read'
        | 'policies:write'
        | 'access:check'
        | 'analytics:read'
        | 'webhooks:manage'
        | 'api_keys:manage'
        | '*'
      )[];
      allowedIps?: string[];
      expiresAt?: string | null;
    };
    answer: {
      id: string;
      object: 'api_key';
      name: string;
      type: 'secret' | 'public';
      permissions: (
        | 'content:read'
        | 'content:write'
        | 'policies:read'
        | 'policies:write'
        | 'access:check'
        | 'analytics:read'
        | 'webhooks:manage'
        | 'api_keys:manage'
        | '*'
      )[];
      allowedIps: string[];
      prefix: string;
      expiresAt: string | null;
      createdAt: string;
      lastUsedAt: string | null;
      key?: string;
    };
  };
  'GET /v1/api-keys': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'api_key';
        name: string;
        type: 'secret' | 'public';
        permissions: (
          | 'content:read'
          | 'content:write'
          | 'policies:read'
          | 'policies:write'
          | 'access:check'
          | 'analytics:read'
          | 'webhooks:manage'
          | 'api_keys:manage'
          | '*'
        )[];
        allowedIps: string[];
        prefix: string;
        expiresAt: string | null;
        createdAt: string;
        lastUsedAt: string | null;
        key?: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/api-keys/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'api_key';
      name: string;
      type: 'secret' | 'public';
      permissions: (
        | 'content:read'
        | 'content:write'
        | 'policies:read'
        | 'policies:write'
        | 'access:check'
        | 'analytics:read'
        | 'webhooks:manage'
        | 'api_keys:manage'
        | '*'
      )[];
      allowedIps: string[];
      prefix: string;
      expiresAt: string | null;
      createdAt: string;
      lastUsedAt: string | null;
      key?: string;
    };
  };
  'DELETE /v1/api-keys/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'api_key'; revoked: true };
  };
  'POST /v1/api-keys/{id}/rotate': {
    path: { id: string };
    query: {};
    body: { graceSeconds?: number };
    answer: {
      id: string;
      object: 'api_key';
      name: string;
      type: 'secret' | 'public';
      permissions: (
        | 'content:read'
        | 'content:write'
        | 'policies:read'
        | 'policies:write'
        | 'access:check'
        | 'analytics:read'
        | 'webhooks:manage'
        | 'api_keys:manage'
        | '*'
      )[];
      allowedIps: string[];
      prefix: string;
      expiresAt: string | null;
      createdAt: string;
      lastUsedAt: string | null;
      key?: string;
    };
  };
  'GET /v1/audit-log': {
    path: {};
    query: {
      limit?: number;
      cursor?: string;
      actor?: string;
      object?: string;
      kind?:
        | 'content.created'
        | 'content.updated'
        | 'content.archived'
        | 'content.restored'
        | 'content.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.rolled_back'
        | 'policy.deleted'
        | 'requester.created'
        | 'requester.updated'
        | 'requester.deleted'
        | 'license.created'
        | 'license.updated'
        | 'license.revoked'
        | 'license.expired'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'webhook.created'
        | 'webhook.updated'
        | 'webhook.secret_rotated'
        | 'webhook.disabled'
        | 'webhook.deleted'
        | 'webhook.test'
        | 'webhook_delivery.retried';
      from?: string;
      to?: string;
    };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'audit_entry';
        kind:
          | 'content.created'
          | 'content.updated'
          | 'content.archived'
          | 'content.restored'
          | 'content.deleted'
          | 'policy.created'
          | 'policy.updated'
          | 'policy.rolled_back'
          | 'policy.deleted'
          | 'requester.created'
          | 'requester.updated'
          | 'requester.deleted'
          | 'license.created'
          | 'license.updated'
          | 'license.revoked'
          | 'license.expired'
          | 'api_key.created'
          | 'api_key.rotated'
          | 'api_key.revoked'
          | 'webhook.created'
          | 'webhook.updated'
          | 'webhook.secret_rotated'
          | 'webhook.disabled'
          | 'webhook.deleted'
          | 'webhook.test'
          | 'webhook_delivery.retried';
        created: string;
        actor: { type: 'api_key' | 'system'; id: string | null; name: string | null };
        address: string | null;
        requestId: string | null;
        target: {
          type: 'content' | 'policy' | 'requester' | 'license' | 'api_key' | 'webhook' | 'webhook_delivery';
          id: string;
        };
        before: unknown;
        after: unknown;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/authorize': {
    path: {};
    query: {
      origin?: string;
      requesterHeader?: string;
      permission?: string;
      purpose?: string;
      denyStatus?: string;
      unknown?: 'deny' | 'allow';
    };
    body: undefined;
    answer: unknown;
  };
  'POST /v1/content': {
    path: {};
    query: {};
    body: {
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId?: string | null;
      metadata?: Record<string, unknown>;
      tags?: string[];
    };
    answer: {
      id: string;
      object: 'content';
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId: string;
      metadata: Record<string, unknown>;
      tags: string[];
      status: 'active' | 'archived';
      created: string;
      updated: string;
      stats?: { totalRequests: number; allowedRequests: number; deniedRequests: number };
      policy?: { id: string; name: string; rules: unknown[] };
    };
  };
  'GET /v1/content': {
    path: {};
    query: {
      limit?: number;
      cursor?: string;
      type?: 'article' | 'report' | 'image' | 'dataset' | 'video';
      status?: 'active' | 'archived';
      policyId?: string;
      tag?: string;
      externalId?: string;
      q?: string;
      createdAfter?: string;
      createdBefore?: string;
      expand?: 'policy';
    };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'content';
        externalId: string;
        title: string;
        type: 'article' | 'report' | 'image' | 'dataset' | 'video';
        source: string;
        policyId: string;
        metadata: Record<string, unknown>;
        tags: string[];
        status: 'active' | 'archived';
        created: string;
        updated: string;
        stats?: { totalRequests: number; allowedRequests: number; deniedRequests: number };
        policy?: { id: string; name: string; rules: unknown[] };
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'POST /v1/content/bulk-delete': {
    path: {};
    query: {};
    body: { ids: unknown[] };
    answer: {
      object: 'bulk_deletion';
      deleted: number;
      failed: number;
      errors: { id: string | null; code: string; message: string }[];
    };
  };
  'POST /v1/content/bulk-upsert': {
    path: {};
    query: {};
    body: { items: unknown[] };
    answer: {
      object: 'bulk_upsert';
      created: number;
      updated: number;
      failed: number;
      errors: { index: number; externalId: string | null; code: string; message: string; param: string | null }[];
    };
  };
  'POST /v1/content/upsert': {
    path: {};
    query: {};
    body: {
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId?: string | null;
      metadata?: Record<string, unknown>;
      tags?: string[];
    };
    answer: {
      id: string;
      object: 'content';
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId: string;
      metadata: Record<string, unknown>;
      tags: string[];
      status: 'active' | 'archived';
      created: string;
      updated: string;
      stats?: { totalRequests: number; allowedRequests: number; deniedRequests: number };
      policy?: { id: string; name: string; rules: unknown[] };
    };
  };
  'GET /v1/content/{id}': {
    path: { id: string };
    query: { expand?: 'policy' };
    body: undefined;
    answer: {
      id: string;
      object: 'content';
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId: string;
      metadata: Record<string, unknown>;
      tags: string[];
      status: 'active' | 'archived';
      created: string;
      updated: string;
      stats?: { totalRequests: number; allowedRequests: number; deniedRequests: number };
      policy?: { id: string; name: string; rules: unknown[] };
    };
  };
  'PATCH /v1/content/{id}': {
    path: { id: string };
    query: {};
    body: {
      title?: string;
      source?: string;
      policyId?: string | null;
      metadata?: Record<string, unknown>;
      metadataReplace?: boolean;
      tags?: string[];
      status?: 'active' | 'archived';
    };
    answer: {
      id: string;
      object: 'content';
      externalId: string;
      title: string;
      type: 'article' | 'report' | 'image' | 'dataset' | 'video';
      source: string;
      policyId: string;
      metadata: Record<string, unknown>;
      tags: string[];
      status: 'active' | 'archived';
      created: string;
      updated: string;
      stats?: { totalRequests: number; allowedRequests: number; deniedRequests: number };
      policy?: { id: string; name: string; rules: unknown[] };
    };
  };
  'DELETE /v1/content/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'content'; deleted: true };
  };
  'GET /v1/events': {
    path: {};
    query: { limit?: number; cursor?: string; type?: string; objectId?: string; from?: string; to?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'event';
        type:
          | 'content.created'
          | 'content.updated'
          | 'content.archived'
          | 'content.restored'
          | 'content.deleted'
          | 'policy.created'
          | 'policy.updated'
          | 'policy.rolled_back'
          | 'policy.deleted'
          | 'requester.created'
          | 'requester.updated'
          | 'requester.deleted'
          | 'license.created'
          | 'license.updated'
          | 'license.revoked'
          | 'license.expired'
          | 'api_key.created'
          | 'api_key.rotated'
          | 'api_key.revoked'
          | 'access.granted'
          | 'access.denied'
          | 'access.rate_limited'
          | 'webhook.test';
        created: string;
        data: { object: unknown; previous?: unknown };
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/events/stream': {
    path: {};
    query: { type?: string; lastEventId?: string };
    body: undefined;
    answer: unknown;
  };
  'GET /v1/events/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'event';
      type:
        | 'content.created'
        | 'content.updated'
        | 'content.archived'
        | 'content.restored'
        | 'content.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.rolled_back'
        | 'policy.deleted'
        | 'requester.created'
        | 'requester.updated'
        | 'requester.deleted'
        | 'license.created'
        | 'license.updated'
        | 'license.revoked'
        | 'license.expired'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'access.granted'
        | 'access.denied'
        | 'access.rate_limited'
        | 'webhook.test';
      created: string;
      data: { object: unknown; previous?: unknown };
    };
  };
  'POST /v1/licenses': {
    path: {};
    query: {};
    body: {
      requesterId: string;
      type: string;
      features?: string[];
      scope?: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt?: string | null;
      expiresAt?: string | null;
      status?: 'active' | 'suspended';
      metadata?: Record<string, unknown>;
    };
    answer: {
      id: string;
      object: 'license';
      requesterId: string;
      type: string;
      features: string[];
      scope: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt: string | null;
      expiresAt: string | null;
      status: 'active' | 'suspended' | 'revoked';
      valid: boolean;
      metadata: Record<string, unknown>;
      created: string;
      updated: string;
    };
  };
  'GET /v1/licenses': {
    path: {};
    query: {
      limit?: number;
      cursor?: string;
      requesterId?: string;
      type?: string;
      status?: 'active' | 'suspended' | 'revoked';
      expiresBefore?: string;
      expiresAfter?: string;
    };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'license';
        requesterId: string;
        type: string;
        features: string[];
        scope: {
          contentIds?: string[];
          contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          tags?: string[];
          policyIds?: string[];
        } | null;
        startsAt: string | null;
        expiresAt: string | null;
        status: 'active' | 'suspended' | 'revoked';
        valid: boolean;
        metadata: Record<string, unknown>;
        created: string;
        updated: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/licenses/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'license';
      requesterId: string;
      type: string;
      features: string[];
      scope: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt: string | null;
      expiresAt: string | null;
      status: 'active' | 'suspended' | 'revoked';
      valid: boolean;
      metadata: Record<string, unknown>;
      created: string;
      updated: string;
    };
  };
  'PATCH /v1/licenses/{id}': {
    path: { id: string };
    query: {};
    body: {
      type?: string;
      features?: string[];
      scope?: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt?: string | null;
      expiresAt?: string | null;
      status?: 'active' | 'suspended';
      metadata?: Record<string, unknown>;
      metadataReplace?: boolean;
    };
    answer: {
      id: string;
      object: 'license';
      requesterId: string;
      type: string;
      features: string[];
      scope: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt: string | null;
      expiresAt: string | null;
      status: 'active' | 'suspended' | 'revoked';
      valid: boolean;
      metadata: Record<string, unknown>;
      created: string;
      updated: string;
    };
  };
  'DELETE /v1/licenses/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'license'; deleted: true };
  };
  'POST /v1/licenses/{id}/revoke': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'license';
      requesterId: string;
      type: string;
      features: string[];
      scope: {
        contentIds?: string[];
        contentTypes?: ('article' | 'report' | 'image' | 'dataset' | 'video')[];
        tags?: string[];
        policyIds?: string[];
      } | null;
      startsAt: string | null;
      expiresAt: string | null;
      status: 'active' | 'suspended' | 'revoked';
      valid: boolean;
      metadata: Record<string, unknown>;
      created: string;
      updated: string;
    };
  };
  'POST /v1/policies': {
    path: {};
    query: {};
    body: {
      name: string;
      description?: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction?: 'allow' | 'deny';
    };
    answer: {
      id: string;
      object: 'policy';
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      version: number;
      isDefault: boolean;
      created: string;
      updated: string;
      warnings: {
        code:
          | 'unreachable_rule'
          | 'license_contradiction'
          | 'catch_all_before_others'
          | 'duplicate_rule'
          | 'deny_evaded_by_silence'
          | 'permissions_on_deny'
          | 'rate_limit_on_deny'
          | 'unknown_permission';
        message: string;
        param: string;
      }[];
    };
  };
  'GET /v1/policies': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'policy';
        name: string;
        description: string | null;
        rules: {
          action: 'allow' | 'deny';
          priority?: number;
          conditions?: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
            requesterId?: string | string[];
            requesterIdNot?: string | string[];
            requesterType?: string | string[];
            requesterTypeNot?: string | string[];
            requesterTags?: string | string[];
            requesterTagsNot?: string | string[];
            purpose?: string | string[];
            purposeNot?: string | string[];
            permission?: string | string[];
            permissionNot?: string | string[];
            contentId?: string | string[];
            contentIdNot?: string | string[];
            contentType?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTypeNot?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTags?: string | string[];
            contentTagsNot?: string | string[];
            contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            contentMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            requesterMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            country?: string | string[];
            countryNot?: string | string[];
            ip?: string | string[];
            ipNot?: string | string[];
            userAgent?: string | string[];
            userAgentNot?: string | string[];
            time?: {
              after?: string;
              before?: string;
              days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              from?: string;
              to?: string;
              timezone?: string;
            };
          };
          permissions?: string[];
          rateLimit?: {
            requests: number;
            period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
            scope?: 'requester' | 'content' | 'global';
          };
          message?: string;
        }[];
        defaultAction: 'allow' | 'deny';
        version: number;
        isDefault: boolean;
        created: string;
        updated: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'POST /v1/policies/lint': {
    path: {};
    query: {};
    body: {
      name?: string;
      description?: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction?: 'allow' | 'deny';
    };
    answer: {
      object: 'policy_lint';
      warnings: {
        code:
          | 'unreachable_rule'
          | 'license_contradiction'
          | 'catch_all_before_others'
          | 'duplicate_rule'
          | 'deny_evaded_by_silence'
          | 'permissions_on_deny'
          | 'rate_limit_on_deny'
          | 'unknown_permission';
        message: string;
        param: string;
      }[];
    };
  };
  'POST /v1/policies/simulate': {
    path: {};
    query: {};
    body: {
      policy: {
        name?: string;
        description?: string | null;
        rules: {
          action: 'allow' | 'deny';
          priority?: number;
          conditions?: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
            requesterId?: string | string[];
            requesterIdNot?: string | string[];
            requesterType?: string | string[];
            requesterTypeNot?: string | string[];
            requesterTags?: string | string[];
            requesterTagsNot?: string | string[];
            purpose?: string | string[];
            purposeNot?: string | string[];
            permission?: string | string[];
            permissionNot?: string | string[];
            contentId?: string | string[];
            contentIdNot?: string | string[];
            contentType?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTypeNot?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTags?: string | string[];
            contentTagsNot?: string | string[];
            contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            contentMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            requesterMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            country?: string | string[];
            countryNot?: string | string[];
            ip?: string | string[];
            ipNot?: string | string[];
            userAgent?: string | string[];
            userAgentNot?: string | string[];
            time?: {
              after?: string;
              before?: string;
              days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              from?: string;
              to?: string;
              timezone?: string;
            };
          };
          permissions?: string[];
          rateLimit?: {
            requests: number;
            period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
            scope?: 'requester' | 'content' | 'global';
          };
          message?: string;
        }[];
        defaultAction?: 'allow' | 'deny';
      };
      checks: unknown[];
    };
    answer: {
      object: 'list';
      data: (
        | {
            id: string | null;
            object: 'access_decision';
            allowed: boolean;
            action: 'allow' | 'deny';
            reason:
              | 'no_license'
              | 'license_expired'
              | 'rate_limit_exceeded'
              | 'permission_not_granted'
              | 'content_archived'
              | 'requester_suspended'
              | 'policy_denied'
              | null;
            message: string;
            permissions: string[];
            contentId: string;
            externalId: string;
            requesterId: string | null;
            policyId: null;
            policyVersion: null;
            matchedRule: { index: number; priority: number } | null;
            licenseId: string | null;
            rateLimit: {
              limit: number;
              remaining: number;
              period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
              resetAt: string;
              retryAfter?: number;
            } | null;
            recorded: boolean;
            created: string;
            maxAge?: number;
            explanation?: unknown;
            remedies?: (
              | {
                  kind: 'license';
                  licenseType: string[] | null;
                  licenseFeatures: string[];
                  licenseExpiry?: { after?: string; before?: string };
                  rule: number;
                }
              | { kind: 'permission'; permissions: string[] }
              | { kind: 'wait'; until: string }
            )[];
          }
        | { error: { code: string; message: string; type: string } }
      )[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/policies/templates': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'policy_template';
        name: string;
        description: string;
        rules: {
          action: 'allow' | 'deny';
          priority?: number;
          conditions?: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
            requesterId?: string | string[];
            requesterIdNot?: string | string[];
            requesterType?: string | string[];
            requesterTypeNot?: string | string[];
            requesterTags?: string | string[];
            requesterTagsNot?: string | string[];
            purpose?: string | string[];
            purposeNot?: string | string[];
            permission?: string | string[];
            permissionNot?: string | string[];
            contentId?: string | string[];
            contentIdNot?: string | string[];
            contentType?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTypeNot?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTags?: string | string[];
            contentTagsNot?: string | string[];
            contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            contentMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            requesterMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            country?: string | string[];
            countryNot?: string | string[];
            ip?: string | string[];
            ipNot?: string | string[];
            userAgent?: string | string[];
            userAgentNot?: string | string[];
            time?: {
              after?: string;
              before?: string;
              days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              from?: string;
              to?: string;
              timezone?: string;
            };
          };
          permissions?: string[];
          rateLimit?: {
            requests: number;
            period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
            scope?: 'requester' | 'content' | 'global';
          };
          message?: string;
        }[];
        defaultAction: 'allow' | 'deny';
        cases: {
          name: string;
          check: {};
          expect: { allowed: boolean; reason?: string | null; permissions?: string[]; rule?: number | null };
        }[];
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/policies/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'policy';
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      version: number;
      isDefault: boolean;
      created: string;
      updated: string;
    };
  };
  'PATCH /v1/policies/{id}': {
    path: { id: string };
    query: {};
    body: {
      name?: string;
      description?: string | null;
      rules?: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction?: 'allow' | 'deny';
    };
    answer: {
      id: string;
      object: 'policy';
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      version: number;
      isDefault: boolean;
      created: string;
      updated: string;
      warnings: {
        code:
          | 'unreachable_rule'
          | 'license_contradiction'
          | 'catch_all_before_others'
          | 'duplicate_rule'
          | 'deny_evaded_by_silence'
          | 'permissions_on_deny'
          | 'rate_limit_on_deny'
          | 'unknown_permission';
        message: string;
        param: string;
      }[];
    };
  };
  'DELETE /v1/policies/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'policy'; deleted: true };
  };
  'POST /v1/policies/{id}/impact': {
    path: { id: string };
    query: {};
    body: {
      policy?: {
        name?: string;
        description?: string | null;
        rules: {
          action: 'allow' | 'deny';
          priority?: number;
          conditions?: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
            requesterId?: string | string[];
            requesterIdNot?: string | string[];
            requesterType?: string | string[];
            requesterTypeNot?: string | string[];
            requesterTags?: string | string[];
            requesterTagsNot?: string | string[];
            purpose?: string | string[];
            purposeNot?: string | string[];
            permission?: string | string[];
            permissionNot?: string | string[];
            contentId?: string | string[];
            contentIdNot?: string | string[];
            contentType?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTypeNot?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTags?: string | string[];
            contentTagsNot?: string | string[];
            contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            contentMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            requesterMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            country?: string | string[];
            countryNot?: string | string[];
            ip?: string | string[];
            ipNot?: string | string[];
            userAgent?: string | string[];
            userAgentNot?: string | string[];
            time?: {
              after?: string;
              before?: string;
              days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              from?: string;
              to?: string;
              timezone?: string;
            };
          };
          permissions?: string[];
          rateLimit?: {
            requests: number;
            period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
            scope?: 'requester' | 'content' | 'global';
          };
          message?: string;
        }[];
        defaultAction?: 'allow' | 'deny';
      };
      version?: number;
      from?: string;
      to?: string;
      examples?: number;
    };
    answer: {
      object: 'policy_impact';
      policyId: string;
      from: string;
      to: string;
      decisions: number;
      unchanged: number;
      allowToDeny: number;
      denyToAllow: number;
      otherPermissions: number;
      otherReason: number;
      limited: number;
      byRequester: { id: string | null; name: string | null; allowToDeny: number; denyToAllow: number }[];
      byContent: { id: string; externalId: string; title: string; allowToDeny: number; denyToAllow: number }[];
      byReason: {
        from:
          | 'no_license'
          | 'license_expired'
          | 'rate_limit_exceeded'
          | 'permission_not_granted'
          | 'content_archived'
          | 'requester_suspended'
          | 'policy_denied'
          | null;
        to:
          | 'no_license'
          | 'license_expired'
          | 'rate_limit_exceeded'
          | 'permission_not_granted'
          | 'content_archived'
          | 'requester_suspended'
          | 'policy_denied'
          | null;
        count: number;
      }[];
      examples: {
        decisionId: string;
        created: string;
        contentId: string;
        requesterId: string | null;
        before: {
          allowed: boolean;
          reason:
            | 'no_license'
            | 'license_expired'
            | 'rate_limit_exceeded'
            | 'permission_not_granted'
            | 'content_archived'
            | 'requester_suspended'
            | 'policy_denied'
            | null;
        };
        after: {
          allowed: boolean;
          reason:
            | 'no_license'
            | 'license_expired'
            | 'rate_limit_exceeded'
            | 'permission_not_granted'
            | 'content_archived'
            | 'requester_suspended'
            | 'policy_denied'
            | null;
          matchedRule: { index: number; priority: number } | null;
        };
      }[];
      unknown: {
        decisions: number;
        causes: { cause: 'item_edited' | 'requester_history' | 'not_reproduced'; count: number }[];
      };
    };
  };
  'POST /v1/policies/{id}/make-default': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'policy';
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      version: number;
      isDefault: boolean;
      created: string;
      updated: string;
    };
  };
  'POST /v1/policies/{id}/rollback': {
    path: { id: string };
    query: {};
    body: { version: number };
    answer: {
      id: string;
      object: 'policy';
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      version: number;
      isDefault: boolean;
      created: string;
      updated: string;
      warnings: {
        code:
          | 'unreachable_rule'
          | 'license_contradiction'
          | 'catch_all_before_others'
          | 'duplicate_rule'
          | 'deny_evaded_by_silence'
          | 'permissions_on_deny'
          | 'rate_limit_on_deny'
          | 'unknown_permission';
        message: string;
        param: string;
      }[];
    };
  };
  'GET /v1/policies/{id}/versions': {
    path: { id: string };
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'policy_version';
        version: number;
        name: string;
        description: string | null;
        rules: {
          action: 'allow' | 'deny';
          priority?: number;
          conditions?: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
            requesterId?: string | string[];
            requesterIdNot?: string | string[];
            requesterType?: string | string[];
            requesterTypeNot?: string | string[];
            requesterTags?: string | string[];
            requesterTagsNot?: string | string[];
            purpose?: string | string[];
            purposeNot?: string | string[];
            permission?: string | string[];
            permissionNot?: string | string[];
            contentId?: string | string[];
            contentIdNot?: string | string[];
            contentType?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTypeNot?:
              | 'article'
              | 'report'
              | 'image'
              | 'dataset'
              | 'video'
              | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
            contentTags?: string | string[];
            contentTagsNot?: string | string[];
            contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            contentMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
            requesterMetadataNot?: Record<
              string,
              string | number | boolean | null | (string | number | boolean | null)[]
            >;
            country?: string | string[];
            countryNot?: string | string[];
            ip?: string | string[];
            ipNot?: string | string[];
            userAgent?: string | string[];
            userAgentNot?: string | string[];
            time?: {
              after?: string;
              before?: string;
              days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
              from?: string;
              to?: string;
              timezone?: string;
            };
          };
          permissions?: string[];
          rateLimit?: {
            requests: number;
            period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
            scope?: 'requester' | 'content' | 'global';
          };
          message?: string;
        }[];
        defaultAction: 'allow' | 'deny';
        created: string;
        updated: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/policies/{id}/versions/{version}': {
    path: { id: string; version: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'policy_version';
      version: number;
      name: string;
      description: string | null;
      rules: {
        action: 'allow' | 'deny';
        priority?: number;
        conditions?: {
          default?: boolean;
          hasValidLicense?: boolean;
          licenseType?: string | string[];
          licenseTypeNot?: string | string[];
          licenseFeatures?: string[];
          licenseFeaturesNot?: string[];
          licenseExpiry?: { after?: 'now' | string; before?: 'now' | string };
          requesterId?: string | string[];
          requesterIdNot?: string | string[];
          requesterType?: string | string[];
          requesterTypeNot?: string | string[];
          requesterTags?: string | string[];
          requesterTagsNot?: string | string[];
          purpose?: string | string[];
          purposeNot?: string | string[];
          permission?: string | string[];
          permissionNot?: string | string[];
          contentId?: string | string[];
          contentIdNot?: string | string[];
          contentType?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTypeNot?:
            | 'article'
            | 'report'
            | 'image'
            | 'dataset'
            | 'video'
            | ('article' | 'report' | 'image' | 'dataset' | 'video')[];
          contentTags?: string | string[];
          contentTagsNot?: string | string[];
          contentMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          contentMetadataNot?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadata?: Record<string, string | number | boolean | null | (string | number | boolean | null)[]>;
          requesterMetadataNot?: Record<
            string,
            string | number | boolean | null | (string | number | boolean | null)[]
          >;
          country?: string | string[];
          countryNot?: string | string[];
          ip?: string | string[];
          ipNot?: string | string[];
          userAgent?: string | string[];
          userAgentNot?: string | string[];
          time?: {
            after?: string;
            before?: string;
            days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from?: string;
            to?: string;
            timezone?: string;
          };
        };
        permissions?: string[];
        rateLimit?: {
          requests: number;
          period: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month';
          scope?: 'requester' | 'content' | 'global';
        };
        message?: string;
      }[];
      defaultAction: 'allow' | 'deny';
      created: string;
      updated: string;
    };
  };
  'GET /v1/policies/{id}/versions/{version}/diff/{other}': {
    path: { id: string; version: string; other: string };
    query: {};
    body: undefined;
    answer: {
      object: 'policy_diff';
      policyId: string;
      from: number;
      to: number;
      fields: { path: string; from?: unknown; to?: unknown }[];
      rules: { change: string; from: number | null; to: number | null }[];
    };
  };
  'POST /v1/requesters': {
    path: {};
    query: {};
    body: {
      id?: string;
      name?: string;
      type?: string | null;
      tags?: string[];
      userAgents?: string[];
      metadata?: Record<string, unknown>;
      status?: 'active' | 'suspended';
    };
    answer: {
      id: string;
      object: 'requester';
      name: string;
      type: string | null;
      tags: string[];
      userAgents: string[];
      metadata: Record<string, unknown>;
      status: 'active' | 'suspended';
      created: string;
      updated: string;
    };
  };
  'GET /v1/requesters': {
    path: {};
    query: {
      limit?: number;
      cursor?: string;
      type?: string;
      tag?: string;
      status?: 'active' | 'suspended';
      q?: string;
    };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'requester';
        name: string;
        type: string | null;
        tags: string[];
        userAgents: string[];
        metadata: Record<string, unknown>;
        status: 'active' | 'suspended';
        created: string;
        updated: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/requesters/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'requester';
      name: string;
      type: string | null;
      tags: string[];
      userAgents: string[];
      metadata: Record<string, unknown>;
      status: 'active' | 'suspended';
      created: string;
      updated: string;
    };
  };
  'PATCH /v1/requesters/{id}': {
    path: { id: string };
    query: {};
    body: {
      name?: string;
      type?: string | null;
      tags?: string[];
      userAgents?: string[];
      metadata?: Record<string, unknown>;
      metadataReplace?: boolean;
      status?: 'active' | 'suspended';
    };
    answer: {
      id: string;
      object: 'requester';
      name: string;
      type: string | null;
      tags: string[];
      userAgents: string[];
      metadata: Record<string, unknown>;
      status: 'active' | 'suspended';
      created: string;
      updated: string;
    };
  };
  'DELETE /v1/requesters/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'requester'; deleted: true };
  };
  'GET /v1/status': {
    path: {};
    query: {};
    body: undefined;
    answer: {
      object: 'status';
      version: string;
      started: string;
      storage: { recordsBytes: number; columnsBytes: number; diskBytes: number; diskFreeBytes: number };
      ledger: { decisions: number; waiting: number; commits: number };
      columns: { behind: number; rebuilds: number; restarts: number };
      webhooks: { succeeded: number; failed: number; inFlight: number };
      memoryBytes: number;
    };
  };
  'POST /v1/webhooks': {
    path: {};
    query: {};
    body: { url: string; events: string[]; description?: string | null; metadata?: Record<string, unknown> };
    answer: {
      id: string;
      object: 'webhook';
      url: string;
      events: string[];
      description: string | null;
      metadata: Record<string, unknown>;
      status: 'active' | 'disabled';
      disabledReason: string | null;
      failingSince: string | null;
      created: string;
      updated: string;
      secret?: string;
    };
  };
  'GET /v1/webhooks': {
    path: {};
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'webhook';
        url: string;
        events: string[];
        description: string | null;
        metadata: Record<string, unknown>;
        status: 'active' | 'disabled';
        disabledReason: string | null;
        failingSince: string | null;
        created: string;
        updated: string;
        secret?: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/webhooks/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'webhook';
      url: string;
      events: string[];
      description: string | null;
      metadata: Record<string, unknown>;
      status: 'active' | 'disabled';
      disabledReason: string | null;
      failingSince: string | null;
      created: string;
      updated: string;
      secret?: string;
    };
  };
  'PATCH /v1/webhooks/{id}': {
    path: { id: string };
    query: {};
    body: {
      url?: string;
      events?: string[];
      description?: string | null;
      metadata?: Record<string, unknown>;
      metadataReplace?: boolean;
      status?: 'active' | 'disabled';
    };
    answer: {
      id: string;
      object: 'webhook';
      url: string;
      events: string[];
      description: string | null;
      metadata: Record<string, unknown>;
      status: 'active' | 'disabled';
      disabledReason: string | null;
      failingSince: string | null;
      created: string;
      updated: string;
      secret?: string;
    };
  };
  'DELETE /v1/webhooks/{id}': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: { id: string; object: 'webhook'; deleted: true };
  };
  'GET /v1/webhooks/{id}/deliveries': {
    path: { id: string };
    query: { limit?: number; cursor?: string; status?: 'pending' | 'succeeded' | 'failed'; eventId?: string };
    body: undefined;
    answer: {
      object: 'list';
      data: {
        id: string;
        object: 'webhook_delivery';
        webhookId: string;
        eventId: string;
        eventType:
          | 'content.created'
          | 'content.updated'
          | 'content.archived'
          | 'content.restored'
          | 'content.deleted'
          | 'policy.created'
          | 'policy.updated'
          | 'policy.rolled_back'
          | 'policy.deleted'
          | 'requester.created'
          | 'requester.updated'
          | 'requester.deleted'
          | 'license.created'
          | 'license.updated'
          | 'license.revoked'
          | 'license.expired'
          | 'api_key.created'
          | 'api_key.rotated'
          | 'api_key.revoked'
          | 'access.granted'
          | 'access.denied'
          | 'access.rate_limited'
          | 'webhook.test';
        status: 'pending' | 'succeeded' | 'failed';
        attemptCount: number;
        nextAttemptAt: string | null;
        attempts: {
          number: number;
          created: string;
          request: { url: string; headers: Record<string, string> };
          statusCode: number | null;
          durationMs: number;
          error: string | null;
          responseBody: string | null;
        }[];
        created: string;
        updated: string;
        requestBody?: string;
      }[];
      hasMore: boolean;
      totalCount: number;
      nextCursor: string | null;
    };
  };
  'GET /v1/webhooks/{id}/deliveries/{deliveryId}': {
    path: { id: string; deliveryId: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'webhook_delivery';
      webhookId: string;
      eventId: string;
      eventType:
        | 'content.created'
        | 'content.updated'
        | 'content.archived'
        | 'content.restored'
        | 'content.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.rolled_back'
        | 'policy.deleted'
        | 'requester.created'
        | 'requester.updated'
        | 'requester.deleted'
        | 'license.created'
        | 'license.updated'
        | 'license.revoked'
        | 'license.expired'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'access.granted'
        | 'access.denied'
        | 'access.rate_limited'
        | 'webhook.test';
      status: 'pending' | 'succeeded' | 'failed';
      attemptCount: number;
      nextAttemptAt: string | null;
      attempts: {
        number: number;
        created: string;
        request: { url: string; headers: Record<string, string> };
        statusCode: number | null;
        durationMs: number;
        error: string | null;
        responseBody: string | null;
      }[];
      created: string;
      updated: string;
      requestBody?: string;
    };
  };
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/retry': {
    path: { id: string; deliveryId: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'webhook_delivery';
      webhookId: string;
      eventId: string;
      eventType:
        | 'content.created'
        | 'content.updated'
        | 'content.archived'
        | 'content.restored'
        | 'content.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.rolled_back'
        | 'policy.deleted'
        | 'requester.created'
        | 'requester.updated'
        | 'requester.deleted'
        | 'license.created'
        | 'license.updated'
        | 'license.revoked'
        | 'license.expired'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'access.granted'
        | 'access.denied'
        | 'access.rate_limited'
        | 'webhook.test';
      status: 'pending' | 'succeeded' | 'failed';
      attemptCount: number;
      nextAttemptAt: string | null;
      attempts: {
        number: number;
        created: string;
        request: { url: string; headers: Record<string, string> };
        statusCode: number | null;
        durationMs: number;
        error: string | null;
        responseBody: string | null;
      }[];
      created: string;
      updated: string;
      requestBody?: string;
    };
  };
  'POST /v1/webhooks/{id}/rotate-secret': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'webhook';
      url: string;
      events: string[];
      description: string | null;
      metadata: Record<string, unknown>;
      status: 'active' | 'disabled';
      disabledReason: string | null;
      failingSince: string | null;
      created: string;
      updated: string;
      secret?: string;
    };
  };
  'POST /v1/webhooks/{id}/test': {
    path: { id: string };
    query: {};
    body: undefined;
    answer: {
      id: string;
      object: 'webhook_delivery';
      webhookId: string;
      eventId: string;
      eventType:
        | 'content.created'
        | 'content.updated'
        | 'content.archived'
        | 'content.restored'
        | 'content.deleted'
        | 'policy.created'
        | 'policy.updated'
        | 'policy.rolled_back'
        | 'policy.deleted'
        | 'requester.created'
        | 'requester.updated'
        | 'requester.deleted'
        | 'license.created'
        | 'license.updated'
        | 'license.revoked'
        | 'license.expired'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'access.granted'
        | 'access.denied'
        | 'access.rate_limited'
        | 'webhook.test';
      status: 'pending' | 'succeeded' | 'failed';
      attemptCount: number;
      nextAttemptAt: string | null;
      attempts: {
        number: number;
        created: string;
        request: { url: string; headers: Record<string, string> };
        statusCode: number | null;
        durationMs: number;
        error: string | null;
        responseBody: string | null;
      }[];
      created: string;
      updated: string;
      requestBody?: string;
    };
  };
}
