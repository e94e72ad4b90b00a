// Written by scripts/client-schema.ts from the OpenAPI document; not by hand.
export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process is alive */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The service takes requests */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a decision
         * @description Needs the permission `access:check` (Ask for decisions).
         */
        post: operations["checkAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/check/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for up to 1,000 decisions
         * @description Needs the permission `access:check` (Ask for decisions).
         */
        post: operations["checkAccessBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask for a decision as a proxy does
         * @description Needs the permission `access:check` (Ask for decisions).
         */
        get: operations["authorize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List decisions
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/decisions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a decision
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["getDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["listContent"];
        put?: never;
        /**
         * Register an item
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        post: operations["createContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/content/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an item
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["getContent"];
        put?: never;
        post?: never;
        /**
         * Delete an item and its decisions
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        delete: operations["deleteContent"];
        options?: never;
        head?: never;
        /**
         * Edit an item
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        patch: operations["updateContent"];
        trace?: never;
    };
    "/v1/content/upsert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an item or edit it
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        post: operations["upsertContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/content/bulk-upsert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register or edit up to 1,000 items
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        post: operations["bulkUpsertContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/content/bulk-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete up to 1,000 items
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        post: operations["bulkDeleteContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requesters
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listRequesters"];
        put?: never;
        /**
         * Register a requester
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["createRequester"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a requester
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getRequester"];
        put?: never;
        post?: never;
        /**
         * Delete a requester and its licenses
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deleteRequester"];
        options?: never;
        head?: never;
        /**
         * Edit a requester
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        patch: operations["updateRequester"];
        trace?: never;
    };
    "/v1/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List licenses
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listLicenses"];
        put?: never;
        /**
         * Give a license
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["createLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a license
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        /**
         * Delete a license
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deleteLicense"];
        options?: never;
        head?: never;
        /**
         * Edit a license
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        patch: operations["updateLicense"];
        trace?: never;
    };
    "/v1/licenses/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a license for good
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["revokeLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide up to 1,000 checks by rules that are not stored
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        post: operations["simulatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide the recorded decisions of a policy again by other rules
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        post: operations["previewPolicyImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listPolicies"];
        put?: never;
        /**
         * Create a policy
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["createPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listPolicyTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a policy
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getPolicy"];
        put?: never;
        post?: never;
        /**
         * Delete a policy
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        /**
         * Edit a policy
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        patch: operations["updatePolicy"];
        trace?: never;
    };
    "/v1/policies/{id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write an old version as a new one
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["rollbackPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/make-default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Serve new content by this policy
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["makePolicyDefault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/lint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find what is hardly meant
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        post: operations["lintPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/versions/{version}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["diffPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a version
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create a key
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a key
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key by a new one
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook and its deliveries
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Edit a webhook
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again now
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events live (server-sent events)
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event
         * @description Needs the permission `webhooks:manage` (Manage webhooks).
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report usage
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the service is doing
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                /** @enum {unknown} */
                code: "invalid_request" | "invalid_json" | "invalid_cursor" | "missing_api_key" | "invalid_api_key" | "insufficient_permissions" | "ip_not_allowed" | "content_not_found" | "policy_not_found" | "policy_version_not_found" | "requester_not_found" | "license_not_found" | "api_key_not_found" | "decision_not_found" | "webhook_not_found" | "event_not_found" | "delivery_not_found" | "route_not_found" | "method_not_allowed" | "external_id_exists" | "requester_exists" | "policy_in_use" | "default_policy" | "last_admin_key" | "idempotency_key_in_use" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "internal_error" | "service_unavailable" | "storage_full";
                message: string;
                /** @enum {unknown} */
                type: "validation_error" | "authentication_error" | "authorization_error" | "not_found_error" | "conflict_error" | "idempotency_error" | "api_error";
                param?: string;
                details?: {
                    param?: string | null;
                    message?: string;
                }[];
                requestId: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id or externalId of the item */
                    contentId: string;
                    /** @description must have 1 to 128 letters, digits or . _ : @ / -; leave it out for an anonymous check */
                    requesterId?: string;
                    /** @description must be a small letter followed by at most 63 small letters, digits or underscores */
                    permission?: string;
                    purpose?: string;
                    context?: {
                        /** Format: ip */
                        ip?: string;
                        /** @description must be an ISO 3166 alpha-2 code in capitals */
                        country?: string;
                        userAgent?: string;
                    };
                    /** @description A licence the asking server vouches for */
                    license?: {
                        type: string;
                        features?: string[];
                        expiresAt?: string | null;
                    };
                    explain?: boolean;
                    dryRun?: boolean;
                    /**
                     * Format: date-time
                     * @description With `dryRun`: decide as of this past moment, by the policy version, the requester and the licences of then. Rate limits are not applied as of the past: `rateLimit` is null.
                     */
                    asOf?: string;
                };
            };
        };
        responses: {
            /** @description A decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string | null;
                        /** @enum {string} */
                        object: "access_decision";
                        allowed: boolean;
                        /** @enum {unknown} */
                        action: "allow" | "deny";
                        reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                        message: string;
                        permissions: string[];
                        contentId: string;
                        externalId: string;
                        requesterId: string | null;
                        policyId: string;
                        policyVersion: number;
                        matchedRule: {
                            index: number;
                            priority: number;
                        } | null;
                        licenseId: string | null;
                        rateLimit: {
                            limit: number;
                            remaining: number;
                            /** @enum {unknown} */
                            period: "second" | "minute" | "hour" | "day" | "week" | "month";
                            resetAt: string;
                            /** @description Seconds */
                            retryAfter?: number;
                        } | null;
                        recorded: boolean;
                        created: string;
                        /** @description Seconds for which the asker may use this answer again; absent: not at all */
                        maxAge?: number;
                        /** @description With `explain`: every rule in the order it was asked */
                        explanation?: unknown;
                        /** @description With `explain`: what would have turned the denial */
                        remedies?: ({
                            /** @enum {string} */
                            kind: "license";
                            /** @description One of these; null: any */
                            licenseType: string[] | null;
                            /** @description All of these */
                            licenseFeatures: string[];
                            /** @description When it must end, as in the condition of the rule */
                            licenseExpiry?: {
                                after?: string;
                                before?: string;
                            };
                            /** @description The rule that asks for it, by its place in the stored list */
                            rule: number;
                        } | {
                            /** @enum {string} */
                            kind: "permission";
                            permissions: string[];
                        } | {
                            /** @enum {string} */
                            kind: "wait";
                            until: string;
                        })[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkAccessBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    checks: unknown[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: ({
                            id: string | null;
                            /** @enum {string} */
                            object: "access_decision";
                            allowed: boolean;
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            message: string;
                            permissions: string[];
                            contentId: string;
                            externalId: string;
                            requesterId: string | null;
                            policyId: string;
                            policyVersion: number;
                            matchedRule: {
                                index: number;
                                priority: number;
                            } | null;
                            licenseId: string | null;
                            rateLimit: {
                                limit: number;
                                remaining: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                resetAt: string;
                                /** @description Seconds */
                                retryAfter?: number;
                            } | null;
                            recorded: boolean;
                            created: string;
                            /** @description Seconds for which the asker may use this answer again; absent: not at all */
                            maxAge?: number;
                            /** @description With `explain`: every rule in the order it was asked */
                            explanation?: unknown;
                            /** @description With `explain`: what would have turned the denial */
                            remedies?: ({
                                /** @enum {string} */
                                kind: "license";
                                /** @description One of these; null: any */
                                licenseType: string[] | null;
                                /** @description All of these */
                                licenseFeatures: string[];
                                /** @description When it must end, as in the condition of the rule */
                                licenseExpiry?: {
                                    after?: string;
                                    before?: string;
                                };
                                /** @description The rule that asks for it, by its place in the stored list */
                                rule: number;
                            } | {
                                /** @enum {string} */
                                kind: "permission";
                                permissions: string[];
                            } | {
                                /** @enum {string} */
                                kind: "wait";
                                until: string;
                            })[];
                        } | {
                            error: {
                                code: string;
                                message: string;
                                type: string;
                            };
                        })[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    authorize: {
        parameters: {
            query?: {
                /** @description must be the origin of the site, such as https://example.com; then no host of a request counts */
                origin?: string;
                /** @description must be the name of the header in which your proxy says who asks */
                requesterHeader?: string;
                /** @description must be a small letter followed by at most 63 small letters, digits or underscores */
                permission?: string;
                purpose?: string;
                /** @description must list the statuses beside 403 that your proxy lets through, of 401, 402 and 429 */
                denyStatus?: string;
                /** @description What comes of content that is not registered; deny by default */
                unknown?: "deny" | "allow";
            };
            header?: {
                /** @description What the visitor asked for: path and query, or a URL */
                "x-original-uri"?: string;
                /** @description The same, where a proxy calls it so */
                "x-forwarded-uri"?: string;
                /** @description The host that was asked; `origin` wins */
                "x-forwarded-host"?: string;
                /** @description Its last entry is the visitor */
                "x-forwarded-for"?: string;
                /** @description The visitor's */
                "user-agent"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Allowed; the decision is in `X-Postern-…` headers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Denied, the same way; or refused, with an error */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                /** @description Id or externalId */
                contentId?: string;
                requesterId?: string;
                policyId?: string;
                allowed?: boolean;
                reason?: "no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied";
                /** @description Inclusive; a date or a moment, UTC */
                from?: string;
                /** @description A date, whose day is included, or a moment, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string | null;
                            /** @enum {string} */
                            object: "access_decision";
                            allowed: boolean;
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            message: string;
                            permissions: string[];
                            contentId: string;
                            externalId: string;
                            requesterId: string | null;
                            policyId: string;
                            policyVersion: number;
                            matchedRule: {
                                index: number;
                                priority: number;
                            } | null;
                            licenseId: string | null;
                            rateLimit: {
                                limit: number;
                                remaining: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                resetAt: string;
                                /** @description Seconds */
                                retryAfter?: number;
                            } | null;
                            recorded: boolean;
                            created: string;
                            /** @description Seconds for which the asker may use this answer again; absent: not at all */
                            maxAge?: number;
                            /** @description With `explain`: every rule in the order it was asked */
                            explanation?: unknown;
                            /** @description With `explain`: what would have turned the denial */
                            remedies?: ({
                                /** @enum {string} */
                                kind: "license";
                                /** @description One of these; null: any */
                                licenseType: string[] | null;
                                /** @description All of these */
                                licenseFeatures: string[];
                                /** @description When it must end, as in the condition of the rule */
                                licenseExpiry?: {
                                    after?: string;
                                    before?: string;
                                };
                                /** @description The rule that asks for it, by its place in the stored list */
                                rule: number;
                            } | {
                                /** @enum {string} */
                                kind: "permission";
                                permissions: string[];
                            } | {
                                /** @enum {string} */
                                kind: "wait";
                                until: string;
                            })[];
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string | null;
                        /** @enum {string} */
                        object: "access_decision";
                        allowed: boolean;
                        /** @enum {unknown} */
                        action: "allow" | "deny";
                        reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                        message: string;
                        permissions: string[];
                        contentId: string;
                        externalId: string;
                        requesterId: string | null;
                        policyId: string;
                        policyVersion: number;
                        matchedRule: {
                            index: number;
                            priority: number;
                        } | null;
                        licenseId: string | null;
                        rateLimit: {
                            limit: number;
                            remaining: number;
                            /** @enum {unknown} */
                            period: "second" | "minute" | "hour" | "day" | "week" | "month";
                            resetAt: string;
                            /** @description Seconds */
                            retryAfter?: number;
                        } | null;
                        recorded: boolean;
                        created: string;
                        /** @description Seconds for which the asker may use this answer again; absent: not at all */
                        maxAge?: number;
                        /** @description With `explain`: every rule in the order it was asked */
                        explanation?: unknown;
                        /** @description With `explain`: what would have turned the denial */
                        remedies?: ({
                            /** @enum {string} */
                            kind: "license";
                            /** @description One of these; null: any */
                            licenseType: string[] | null;
                            /** @description All of these */
                            licenseFeatures: string[];
                            /** @description When it must end, as in the condition of the rule */
                            licenseExpiry?: {
                                after?: string;
                                before?: string;
                            };
                            /** @description The rule that asks for it, by its place in the stored list */
                            rule: number;
                        } | {
                            /** @enum {string} */
                            kind: "permission";
                            permissions: string[];
                        } | {
                            /** @enum {string} */
                            kind: "wait";
                            until: string;
                        })[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listContent: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                type?: "article" | "report" | "image" | "dataset" | "video";
                status?: "active" | "archived";
                policyId?: string;
                tag?: string;
                externalId?: string;
                /** @description Words of the title */
                q?: string;
                createdAfter?: string;
                createdBefore?: string;
                expand?: "policy";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "content";
                            externalId: string;
                            title: string;
                            /** @enum {unknown} */
                            type: "article" | "report" | "image" | "dataset" | "video";
                            source: string;
                            policyId: string;
                            /** @description Any JSON object: 16 KiB, 5 levels */
                            metadata: {
                                [key: string]: unknown;
                            };
                            tags: string[];
                            /** @enum {unknown} */
                            status: "active" | "archived";
                            created: string;
                            updated: string;
                            stats?: {
                                totalRequests: number;
                                allowedRequests: number;
                                deniedRequests: number;
                            };
                            policy?: {
                                id: string;
                                name: string;
                                rules: unknown[];
                            };
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    externalId: string;
                    title: string;
                    /** @enum {unknown} */
                    type: "article" | "report" | "image" | "dataset" | "video";
                    /** Format: http-url */
                    source: string;
                    policyId?: string | null;
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description An item of content */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        externalId: string;
                        title: string;
                        /** @enum {unknown} */
                        type: "article" | "report" | "image" | "dataset" | "video";
                        source: string;
                        policyId: string;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        tags: string[];
                        /** @enum {unknown} */
                        status: "active" | "archived";
                        created: string;
                        updated: string;
                        stats?: {
                            totalRequests: number;
                            allowedRequests: number;
                            deniedRequests: number;
                        };
                        policy?: {
                            id: string;
                            name: string;
                            rules: unknown[];
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getContent: {
        parameters: {
            query?: {
                expand?: "policy";
            };
            header?: {
                /** @description An `ETag`: answer 304 if it is still that */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An item of content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        externalId: string;
                        title: string;
                        /** @enum {unknown} */
                        type: "article" | "report" | "image" | "dataset" | "video";
                        source: string;
                        policyId: string;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        tags: string[];
                        /** @enum {unknown} */
                        status: "active" | "archived";
                        created: string;
                        updated: string;
                        stats?: {
                            totalRequests: number;
                            allowedRequests: number;
                            deniedRequests: number;
                        };
                        policy?: {
                            id: string;
                            name: string;
                            rules: unknown[];
                        };
                    };
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title?: string;
                    /** Format: http-url */
                    source?: string;
                    policyId?: string | null;
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    metadataReplace?: boolean;
                    tags?: string[];
                    /** @enum {unknown} */
                    status?: "active" | "archived";
                };
            };
        };
        responses: {
            /** @description An item of content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        externalId: string;
                        title: string;
                        /** @enum {unknown} */
                        type: "article" | "report" | "image" | "dataset" | "video";
                        source: string;
                        policyId: string;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        tags: string[];
                        /** @enum {unknown} */
                        status: "active" | "archived";
                        created: string;
                        updated: string;
                        stats?: {
                            totalRequests: number;
                            allowedRequests: number;
                            deniedRequests: number;
                        };
                        policy?: {
                            id: string;
                            name: string;
                            rules: unknown[];
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    upsertContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    externalId: string;
                    title: string;
                    /** @enum {unknown} */
                    type: "article" | "report" | "image" | "dataset" | "video";
                    /** Format: http-url */
                    source: string;
                    policyId?: string | null;
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    tags?: string[];
                };
            };
        };
        responses: {
            /** @description An item of content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        externalId: string;
                        title: string;
                        /** @enum {unknown} */
                        type: "article" | "report" | "image" | "dataset" | "video";
                        source: string;
                        policyId: string;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        tags: string[];
                        /** @enum {unknown} */
                        status: "active" | "archived";
                        created: string;
                        updated: string;
                        stats?: {
                            totalRequests: number;
                            allowedRequests: number;
                            deniedRequests: number;
                        };
                        policy?: {
                            id: string;
                            name: string;
                            rules: unknown[];
                        };
                    };
                };
            };
            /** @description An item of content */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "content";
                        externalId: string;
                        title: string;
                        /** @enum {unknown} */
                        type: "article" | "report" | "image" | "dataset" | "video";
                        source: string;
                        policyId: string;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        tags: string[];
                        /** @enum {unknown} */
                        status: "active" | "archived";
                        created: string;
                        updated: string;
                        stats?: {
                            totalRequests: number;
                            allowedRequests: number;
                            deniedRequests: number;
                        };
                        policy?: {
                            id: string;
                            name: string;
                            rules: unknown[];
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    bulkUpsertContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items: unknown[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "bulk_upsert";
                        created: number;
                        updated: number;
                        failed: number;
                        errors: {
                            index: number;
                            externalId: string | null;
                            code: string;
                            message: string;
                            param: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    bulkDeleteContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids: unknown[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "bulk_deletion";
                        deleted: number;
                        failed: number;
                        errors: {
                            id: string | null;
                            code: string;
                            message: string;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRequesters: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                type?: string;
                tag?: string;
                status?: "active" | "suspended";
                /** @description Words of the name */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "requester";
                            name: string;
                            type: string | null;
                            tags: string[];
                            userAgents: string[];
                            /** @description Any JSON object: 16 KiB, 5 levels */
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @enum {unknown} */
                            status: "active" | "suspended";
                            created: string;
                            updated: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description must have 1 to 128 letters, digits or . _ : @ / - */
                    id?: string;
                    /** Format: plain-text */
                    name?: string;
                    type?: string | null;
                    tags?: string[];
                    /** @description Texts that its user agent contains, in upper or lower case; `/v1/authorize` knows it by them */
                    userAgents?: string[];
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /** @enum {unknown} */
                    status?: "active" | "suspended";
                };
            };
        };
        responses: {
            /** @description A requester */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "requester";
                        name: string;
                        type: string | null;
                        tags: string[];
                        userAgents: string[];
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "suspended";
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRequester: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A requester */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "requester";
                        name: string;
                        type: string | null;
                        tags: string[];
                        userAgents: string[];
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "suspended";
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRequester: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "requester";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    name?: string;
                    type?: string | null;
                    tags?: string[];
                    /** @description Texts that its user agent contains, in upper or lower case; `/v1/authorize` knows it by them */
                    userAgents?: string[];
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    metadataReplace?: boolean;
                    /** @enum {unknown} */
                    status?: "active" | "suspended";
                };
            };
        };
        responses: {
            /** @description A requester */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "requester";
                        name: string;
                        type: string | null;
                        tags: string[];
                        userAgents: string[];
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "suspended";
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                /** @description must have 1 to 128 letters, digits or . _ : @ / - */
                requesterId?: string;
                type?: string;
                status?: "active" | "suspended" | "revoked";
                expiresBefore?: string;
                expiresAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "license";
                            requesterId: string;
                            type: string;
                            features: string[];
                            scope: {
                                contentIds?: string[];
                                contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                                tags?: string[];
                                policyIds?: string[];
                            } | null;
                            startsAt: string | null;
                            expiresAt: string | null;
                            /** @enum {unknown} */
                            status: "active" | "suspended" | "revoked";
                            /** @description Active and within its time, now */
                            valid: boolean;
                            /** @description Any JSON object: 16 KiB, 5 levels */
                            metadata: {
                                [key: string]: unknown;
                            };
                            created: string;
                            updated: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description must have 1 to 128 letters, digits or . _ : @ / - */
                    requesterId: string;
                    type: string;
                    features?: string[];
                    scope?: {
                        contentIds?: string[];
                        contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                        tags?: string[];
                        policyIds?: string[];
                    } | null;
                    startsAt?: string | null;
                    expiresAt?: string | null;
                    /** @enum {unknown} */
                    status?: "active" | "suspended";
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A licence */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "license";
                        requesterId: string;
                        type: string;
                        features: string[];
                        scope: {
                            contentIds?: string[];
                            contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                            tags?: string[];
                            policyIds?: string[];
                        } | null;
                        startsAt: string | null;
                        expiresAt: string | null;
                        /** @enum {unknown} */
                        status: "active" | "suspended" | "revoked";
                        /** @description Active and within its time, now */
                        valid: boolean;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A licence */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "license";
                        requesterId: string;
                        type: string;
                        features: string[];
                        scope: {
                            contentIds?: string[];
                            contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                            tags?: string[];
                            policyIds?: string[];
                        } | null;
                        startsAt: string | null;
                        expiresAt: string | null;
                        /** @enum {unknown} */
                        status: "active" | "suspended" | "revoked";
                        /** @description Active and within its time, now */
                        valid: boolean;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "license";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    type?: string;
                    features?: string[];
                    scope?: {
                        contentIds?: string[];
                        contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                        tags?: string[];
                        policyIds?: string[];
                    } | null;
                    startsAt?: string | null;
                    expiresAt?: string | null;
                    /** @enum {unknown} */
                    status?: "active" | "suspended";
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    metadataReplace?: boolean;
                };
            };
        };
        responses: {
            /** @description A licence */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "license";
                        requesterId: string;
                        type: string;
                        features: string[];
                        scope: {
                            contentIds?: string[];
                            contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                            tags?: string[];
                            policyIds?: string[];
                        } | null;
                        startsAt: string | null;
                        expiresAt: string | null;
                        /** @enum {unknown} */
                        status: "active" | "suspended" | "revoked";
                        /** @description Active and within its time, now */
                        valid: boolean;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A licence */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "license";
                        requesterId: string;
                        type: string;
                        features: string[];
                        scope: {
                            contentIds?: string[];
                            contentTypes?: ("article" | "report" | "image" | "dataset" | "video")[];
                            tags?: string[];
                            policyIds?: string[];
                        } | null;
                        startsAt: string | null;
                        expiresAt: string | null;
                        /** @enum {unknown} */
                        status: "active" | "suspended" | "revoked";
                        /** @description Active and within its time, now */
                        valid: boolean;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    simulatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Rules that need not be stored */
                    policy: {
                        /** @description Says nothing here */
                        name?: string;
                        /** @description Says nothing here */
                        description?: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction?: "allow" | "deny";
                    };
                    /** @description As for /v1/access/check; `asOf` needs no `dryRun` here */
                    checks: unknown[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: ({
                            id: string | null;
                            /** @enum {string} */
                            object: "access_decision";
                            allowed: boolean;
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            message: string;
                            permissions: string[];
                            contentId: string;
                            externalId: string;
                            requesterId: string | null;
                            policyId: null;
                            policyVersion: null;
                            matchedRule: {
                                index: number;
                                priority: number;
                            } | null;
                            licenseId: string | null;
                            rateLimit: {
                                limit: number;
                                remaining: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                resetAt: string;
                                /** @description Seconds */
                                retryAfter?: number;
                            } | null;
                            recorded: boolean;
                            created: string;
                            /** @description Seconds for which the asker may use this answer again; absent: not at all */
                            maxAge?: number;
                            /** @description With `explain`: every rule in the order it was asked */
                            explanation?: unknown;
                            /** @description With `explain`: what would have turned the denial */
                            remedies?: ({
                                /** @enum {string} */
                                kind: "license";
                                /** @description One of these; null: any */
                                licenseType: string[] | null;
                                /** @description All of these */
                                licenseFeatures: string[];
                                /** @description When it must end, as in the condition of the rule */
                                licenseExpiry?: {
                                    after?: string;
                                    before?: string;
                                };
                                /** @description The rule that asks for it, by its place in the stored list */
                                rule: number;
                            } | {
                                /** @enum {string} */
                                kind: "permission";
                                permissions: string[];
                            } | {
                                /** @enum {string} */
                                kind: "wait";
                                until: string;
                            })[];
                        } | {
                            error: {
                                code: string;
                                message: string;
                                type: string;
                            };
                        })[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewPolicyImpact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Rules that need not be stored */
                    policy?: {
                        /** @description Says nothing here */
                        name?: string;
                        /** @description Says nothing here */
                        description?: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction?: "allow" | "deny";
                    };
                    /** @description A version of the policy, instead of `policy` */
                    version?: number;
                    /**
                     * Format: date-time
                     * @description Inclusive; without it, 30 days before `to`
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description Exclusive; without it, now
                     */
                    to?: string;
                    /** @description 5 without it */
                    examples?: number;
                };
            };
        };
        responses: {
            /** @description What would have become of the decisions of the past */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "policy_impact";
                        policyId: string;
                        /** Format: date-time */
                        from: string;
                        /** Format: date-time */
                        to: string;
                        /** @description The sum of the counts that follow and of unknown.decisions */
                        decisions: number;
                        unchanged: number;
                        allowToDeny: number;
                        denyToAllow: number;
                        /** @description Allowed as before, with other permissions */
                        otherPermissions: number;
                        /** @description Denied as before, for another reason */
                        otherReason: number;
                        /** @description Denied by a rate limit, and allowed by these rules if their limit admits it; limits are not replayed */
                        limited: number;
                        byRequester: {
                            id: string | null;
                            name: string | null;
                            allowToDeny: number;
                            denyToAllow: number;
                        }[];
                        byContent: {
                            id: string;
                            externalId: string;
                            title: string;
                            allowToDeny: number;
                            denyToAllow: number;
                        }[];
                        byReason: {
                            from: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            to: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            count: number;
                        }[];
                        examples: {
                            decisionId: string;
                            /** Format: date-time */
                            created: string;
                            contentId: string;
                            requesterId: string | null;
                            before: {
                                allowed: boolean;
                                reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                            };
                            after: {
                                allowed: boolean;
                                reason: ("no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied") | null;
                                matchedRule: {
                                    index: number;
                                    priority: number;
                                } | null;
                            };
                        }[];
                        unknown: {
                            decisions: number;
                            causes: {
                                /** @enum {unknown} */
                                cause: "item_edited" | "requester_history" | "not_reproduced";
                                count: number;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "policy";
                            name: string;
                            description: string | null;
                            rules: {
                                /** @enum {unknown} */
                                action: "allow" | "deny";
                                priority?: number;
                                /** @description What must all hold for the rule to decide; see docs/conditions */
                                conditions?: {
                                    default?: boolean;
                                    hasValidLicense?: boolean;
                                    licenseType?: string | string[];
                                    licenseTypeNot?: string | string[];
                                    licenseFeatures?: string[];
                                    licenseFeaturesNot?: string[];
                                    licenseExpiry?: {
                                        after?: "now" | string;
                                        before?: "now" | string;
                                    };
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
                                    contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTags?: string | string[];
                                    contentTagsNot?: string | string[];
                                    contentMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    contentMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    country?: string | string[];
                                    countryNot?: string | string[];
                                    ip?: string | string[];
                                    ipNot?: string | string[];
                                    userAgent?: string | string[];
                                    userAgentNot?: string | string[];
                                    time?: {
                                        /** Format: date-time */
                                        after?: string;
                                        /** Format: date-time */
                                        before?: string;
                                        days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        from?: string;
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        to?: string;
                                        /** Format: time-zone */
                                        timezone?: string;
                                    };
                                };
                                permissions?: string[];
                                rateLimit?: {
                                    requests: number;
                                    /** @enum {unknown} */
                                    period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                    /** @enum {unknown} */
                                    scope?: "requester" | "content" | "global";
                                };
                                message?: string;
                            }[];
                            /** @enum {unknown} */
                            defaultAction: "allow" | "deny";
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
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    name: string;
                    description?: string | null;
                    rules: {
                        /** @enum {unknown} */
                        action: "allow" | "deny";
                        priority?: number;
                        /** @description What must all hold for the rule to decide; see docs/conditions */
                        conditions?: {
                            default?: boolean;
                            hasValidLicense?: boolean;
                            licenseType?: string | string[];
                            licenseTypeNot?: string | string[];
                            licenseFeatures?: string[];
                            licenseFeaturesNot?: string[];
                            licenseExpiry?: {
                                after?: "now" | string;
                                before?: "now" | string;
                            };
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
                            contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTags?: string | string[];
                            contentTagsNot?: string | string[];
                            contentMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            contentMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            country?: string | string[];
                            countryNot?: string | string[];
                            ip?: string | string[];
                            ipNot?: string | string[];
                            userAgent?: string | string[];
                            userAgentNot?: string | string[];
                            time?: {
                                /** Format: date-time */
                                after?: string;
                                /** Format: date-time */
                                before?: string;
                                days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                /** @description must be a time of day from 00:00 to 23:59 */
                                from?: string;
                                /** @description must be a time of day from 00:00 to 23:59 */
                                to?: string;
                                /** Format: time-zone */
                                timezone?: string;
                            };
                        };
                        permissions?: string[];
                        rateLimit?: {
                            requests: number;
                            /** @enum {unknown} */
                            period: "second" | "minute" | "hour" | "day" | "week" | "month";
                            /** @enum {unknown} */
                            scope?: "requester" | "content" | "global";
                        };
                        message?: string;
                    }[];
                    /** @enum {unknown} */
                    defaultAction?: "allow" | "deny";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        version: number;
                        isDefault: boolean;
                        created: string;
                        updated: string;
                        /** @description What is valid and yet hardly meant */
                        warnings: {
                            /** @enum {unknown} */
                            code: "unreachable_rule" | "license_contradiction" | "catch_all_before_others" | "duplicate_rule" | "deny_evaded_by_silence" | "permissions_on_deny" | "rate_limit_on_deny" | "unknown_permission";
                            message: string;
                            param: string;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicyTemplates: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "policy_template";
                            name: string;
                            description: string;
                            rules: {
                                /** @enum {unknown} */
                                action: "allow" | "deny";
                                priority?: number;
                                /** @description What must all hold for the rule to decide; see docs/conditions */
                                conditions?: {
                                    default?: boolean;
                                    hasValidLicense?: boolean;
                                    licenseType?: string | string[];
                                    licenseTypeNot?: string | string[];
                                    licenseFeatures?: string[];
                                    licenseFeaturesNot?: string[];
                                    licenseExpiry?: {
                                        after?: "now" | string;
                                        before?: "now" | string;
                                    };
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
                                    contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTags?: string | string[];
                                    contentTagsNot?: string | string[];
                                    contentMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    contentMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    country?: string | string[];
                                    countryNot?: string | string[];
                                    ip?: string | string[];
                                    ipNot?: string | string[];
                                    userAgent?: string | string[];
                                    userAgentNot?: string | string[];
                                    time?: {
                                        /** Format: date-time */
                                        after?: string;
                                        /** Format: date-time */
                                        before?: string;
                                        days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        from?: string;
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        to?: string;
                                        /** Format: time-zone */
                                        timezone?: string;
                                    };
                                };
                                permissions?: string[];
                                rateLimit?: {
                                    requests: number;
                                    /** @enum {unknown} */
                                    period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                    /** @enum {unknown} */
                                    scope?: "requester" | "content" | "global";
                                };
                                message?: string;
                            }[];
                            /** @enum {unknown} */
                            defaultAction: "allow" | "deny";
                            cases: {
                                name: string;
                                /** @description A check, and what it knows of the item and the requester */
                                check: Record<string, never>;
                                expect: {
                                    allowed: boolean;
                                    reason?: string | null;
                                    permissions?: string[];
                                    rule?: number | null;
                                };
                            }[];
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: answer 304 if it is still that */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        version: number;
                        isDefault: boolean;
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    name?: string;
                    description?: string | null;
                    rules?: {
                        /** @enum {unknown} */
                        action: "allow" | "deny";
                        priority?: number;
                        /** @description What must all hold for the rule to decide; see docs/conditions */
                        conditions?: {
                            default?: boolean;
                            hasValidLicense?: boolean;
                            licenseType?: string | string[];
                            licenseTypeNot?: string | string[];
                            licenseFeatures?: string[];
                            licenseFeaturesNot?: string[];
                            licenseExpiry?: {
                                after?: "now" | string;
                                before?: "now" | string;
                            };
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
                            contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTags?: string | string[];
                            contentTagsNot?: string | string[];
                            contentMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            contentMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            country?: string | string[];
                            countryNot?: string | string[];
                            ip?: string | string[];
                            ipNot?: string | string[];
                            userAgent?: string | string[];
                            userAgentNot?: string | string[];
                            time?: {
                                /** Format: date-time */
                                after?: string;
                                /** Format: date-time */
                                before?: string;
                                days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                /** @description must be a time of day from 00:00 to 23:59 */
                                from?: string;
                                /** @description must be a time of day from 00:00 to 23:59 */
                                to?: string;
                                /** Format: time-zone */
                                timezone?: string;
                            };
                        };
                        permissions?: string[];
                        rateLimit?: {
                            requests: number;
                            /** @enum {unknown} */
                            period: "second" | "minute" | "hour" | "day" | "week" | "month";
                            /** @enum {unknown} */
                            scope?: "requester" | "content" | "global";
                        };
                        message?: string;
                    }[];
                    /** @enum {unknown} */
                    defaultAction?: "allow" | "deny";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        version: number;
                        isDefault: boolean;
                        created: string;
                        updated: string;
                        /** @description What is valid and yet hardly meant */
                        warnings: {
                            /** @enum {unknown} */
                            code: "unreachable_rule" | "license_contradiction" | "catch_all_before_others" | "duplicate_rule" | "deny_evaded_by_silence" | "permissions_on_deny" | "rate_limit_on_deny" | "unknown_permission";
                            message: string;
                            param: string;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rollbackPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    version: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        version: number;
                        isDefault: boolean;
                        created: string;
                        updated: string;
                        /** @description What is valid and yet hardly meant */
                        warnings: {
                            /** @enum {unknown} */
                            code: "unreachable_rule" | "license_contradiction" | "catch_all_before_others" | "duplicate_rule" | "deny_evaded_by_silence" | "permissions_on_deny" | "rate_limit_on_deny" | "unknown_permission";
                            message: string;
                            param: string;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    makePolicyDefault: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edit only what is still as it was when that was answered */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "policy";
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        version: number;
                        isDefault: boolean;
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            /** @description Id of the policy */
                            id: string;
                            /** @enum {string} */
                            object: "policy_version";
                            version: number;
                            name: string;
                            description: string | null;
                            rules: {
                                /** @enum {unknown} */
                                action: "allow" | "deny";
                                priority?: number;
                                /** @description What must all hold for the rule to decide; see docs/conditions */
                                conditions?: {
                                    default?: boolean;
                                    hasValidLicense?: boolean;
                                    licenseType?: string | string[];
                                    licenseTypeNot?: string | string[];
                                    licenseFeatures?: string[];
                                    licenseFeaturesNot?: string[];
                                    licenseExpiry?: {
                                        after?: "now" | string;
                                        before?: "now" | string;
                                    };
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
                                    contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                    contentTags?: string | string[];
                                    contentTagsNot?: string | string[];
                                    contentMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    contentMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadata?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    requesterMetadataNot?: {
                                        [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                    };
                                    country?: string | string[];
                                    countryNot?: string | string[];
                                    ip?: string | string[];
                                    ipNot?: string | string[];
                                    userAgent?: string | string[];
                                    userAgentNot?: string | string[];
                                    time?: {
                                        /** Format: date-time */
                                        after?: string;
                                        /** Format: date-time */
                                        before?: string;
                                        days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        from?: string;
                                        /** @description must be a time of day from 00:00 to 23:59 */
                                        to?: string;
                                        /** Format: time-zone */
                                        timezone?: string;
                                    };
                                };
                                permissions?: string[];
                                rateLimit?: {
                                    requests: number;
                                    /** @enum {unknown} */
                                    period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                    /** @enum {unknown} */
                                    scope?: "requester" | "content" | "global";
                                };
                                message?: string;
                            }[];
                            /** @enum {unknown} */
                            defaultAction: "allow" | "deny";
                            created: string;
                            updated: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    lintPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    name?: string;
                    description?: string | null;
                    rules: {
                        /** @enum {unknown} */
                        action: "allow" | "deny";
                        priority?: number;
                        /** @description What must all hold for the rule to decide; see docs/conditions */
                        conditions?: {
                            default?: boolean;
                            hasValidLicense?: boolean;
                            licenseType?: string | string[];
                            licenseTypeNot?: string | string[];
                            licenseFeatures?: string[];
                            licenseFeaturesNot?: string[];
                            licenseExpiry?: {
                                after?: "now" | string;
                                before?: "now" | string;
                            };
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
                            contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                            contentTags?: string | string[];
                            contentTagsNot?: string | string[];
                            contentMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            contentMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadata?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            requesterMetadataNot?: {
                                [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                            };
                            country?: string | string[];
                            countryNot?: string | string[];
                            ip?: string | string[];
                            ipNot?: string | string[];
                            userAgent?: string | string[];
                            userAgentNot?: string | string[];
                            time?: {
                                /** Format: date-time */
                                after?: string;
                                /** Format: date-time */
                                before?: string;
                                days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                /** @description must be a time of day from 00:00 to 23:59 */
                                from?: string;
                                /** @description must be a time of day from 00:00 to 23:59 */
                                to?: string;
                                /** Format: time-zone */
                                timezone?: string;
                            };
                        };
                        permissions?: string[];
                        rateLimit?: {
                            requests: number;
                            /** @enum {unknown} */
                            period: "second" | "minute" | "hour" | "day" | "week" | "month";
                            /** @enum {unknown} */
                            scope?: "requester" | "content" | "global";
                        };
                        message?: string;
                    }[];
                    /** @enum {unknown} */
                    defaultAction?: "allow" | "deny";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "policy_lint";
                        /** @description What is valid and yet hardly meant */
                        warnings: {
                            /** @enum {unknown} */
                            code: "unreachable_rule" | "license_contradiction" | "catch_all_before_others" | "duplicate_rule" | "deny_evaded_by_silence" | "permissions_on_deny" | "rate_limit_on_deny" | "unknown_permission";
                            message: string;
                            param: string;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    diffPolicyVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: string;
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What lies between two versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "policy_diff";
                        policyId: string;
                        from: number;
                        to: number;
                        fields: {
                            path: string;
                            from?: unknown;
                            to?: unknown;
                        }[];
                        rules: {
                            /** @description added, removed, moved, changed or moved_and_changed */
                            change: string;
                            from: number | null;
                            to: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy as it was */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Id of the policy */
                        id: string;
                        /** @enum {string} */
                        object: "policy_version";
                        version: number;
                        name: string;
                        description: string | null;
                        rules: {
                            /** @enum {unknown} */
                            action: "allow" | "deny";
                            priority?: number;
                            /** @description What must all hold for the rule to decide; see docs/conditions */
                            conditions?: {
                                default?: boolean;
                                hasValidLicense?: boolean;
                                licenseType?: string | string[];
                                licenseTypeNot?: string | string[];
                                licenseFeatures?: string[];
                                licenseFeaturesNot?: string[];
                                licenseExpiry?: {
                                    after?: "now" | string;
                                    before?: "now" | string;
                                };
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
                                contentType?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTypeNot?: ("article" | "report" | "image" | "dataset" | "video") | ("article" | "report" | "image" | "dataset" | "video")[];
                                contentTags?: string | string[];
                                contentTagsNot?: string | string[];
                                contentMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                contentMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadata?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                requesterMetadataNot?: {
                                    [key: string]: (string | number | boolean | null) | (string | number | boolean | null)[];
                                };
                                country?: string | string[];
                                countryNot?: string | string[];
                                ip?: string | string[];
                                ipNot?: string | string[];
                                userAgent?: string | string[];
                                userAgentNot?: string | string[];
                                time?: {
                                    /** Format: date-time */
                                    after?: string;
                                    /** Format: date-time */
                                    before?: string;
                                    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    from?: string;
                                    /** @description must be a time of day from 00:00 to 23:59 */
                                    to?: string;
                                    /** Format: time-zone */
                                    timezone?: string;
                                };
                            };
                            permissions?: string[];
                            rateLimit?: {
                                requests: number;
                                /** @enum {unknown} */
                                period: "second" | "minute" | "hour" | "day" | "week" | "month";
                                /** @enum {unknown} */
                                scope?: "requester" | "content" | "global";
                            };
                            message?: string;
                        }[];
                        /** @enum {unknown} */
                        defaultAction: "allow" | "deny";
                        created: string;
                        updated: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "api_key";
                            name: string;
                            /** @enum {unknown} */
                            type: "secret" | "public";
                            permissions: ("content:read" | "content:write" | "policies:read" | "policies:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*")[];
                            allowedIps: string[];
                            /** @description The first 12 characters of the key */
                            prefix: string;
                            expiresAt: string | null;
                            createdAt: string;
                            lastUsedAt: string | null;
                            /** @description The key itself: only here, only once */
                            key?: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: plain-text */
                    name: string;
                    /** @enum {unknown} */
                    type: "secret" | "public";
                    permissions?: ("content:read" | "content:write" | "policies:read" | "policies:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*")[];
                    allowedIps?: string[];
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description An API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "api_key";
                        name: string;
                        /** @enum {unknown} */
                        type: "secret" | "public";
                        permissions: ("content:read" | "content:write" | "policies:read" | "policies:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*")[];
                        allowedIps: string[];
                        /** @description The first 12 characters of the key */
                        prefix: string;
                        expiresAt: string | null;
                        createdAt: string;
                        lastUsedAt: string | null;
                        /** @description The key itself: only here, only once */
                        key?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "api_key";
                        name: string;
                        /** @enum {unknown} */
                        type: "secret" | "public";
                        permissions: ("content:read" | "content:write" | "policies:read" | "policies:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*")[];
                        allowedIps: string[];
                        /** @description The first 12 characters of the key */
                        prefix: string;
                        expiresAt: string | null;
                        createdAt: string;
                        lastUsedAt: string | null;
                        /** @description The key itself: only here, only once */
                        key?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "api_key";
                        /** @enum {boolean} */
                        revoked: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    graceSeconds?: number;
                };
            };
        };
        responses: {
            /** @description An API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "api_key";
                        name: string;
                        /** @enum {unknown} */
                        type: "secret" | "public";
                        permissions: ("content:read" | "content:write" | "policies:read" | "policies:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*")[];
                        allowedIps: string[];
                        /** @description The first 12 characters of the key */
                        prefix: string;
                        expiresAt: string | null;
                        createdAt: string;
                        lastUsedAt: string | null;
                        /** @description The key itself: only here, only once */
                        key?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                /** @description Id of a key, or `system` */
                actor?: string;
                /** @description Id of a record, or one of content, policy, requester, license, api_key, webhook, webhook_delivery */
                object?: string;
                kind?: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.deleted" | "webhook.test" | "webhook_delivery.retried";
                /** @description Inclusive; a date or a moment, UTC */
                from?: string;
                /** @description A date, whose day is included, or a moment, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "audit_entry";
                            /** @enum {unknown} */
                            kind: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.deleted" | "webhook.test" | "webhook_delivery.retried";
                            created: string;
                            actor: {
                                /** @enum {unknown} */
                                type: "api_key" | "system";
                                id: string | null;
                                name: string | null;
                            };
                            address: string | null;
                            requestId: string | null;
                            target: {
                                /** @enum {unknown} */
                                type: "content" | "policy" | "requester" | "license" | "api_key" | "webhook" | "webhook_delivery";
                                id: string;
                            };
                            /** @description The record before; null when it was created */
                            before: unknown;
                            /** @description The record after; null when it was deleted */
                            after: unknown;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "webhook";
                            url: string;
                            events: string[];
                            description: string | null;
                            /** @description Any JSON object: 16 KiB, 5 levels */
                            metadata: {
                                [key: string]: unknown;
                            };
                            /** @enum {unknown} */
                            status: "active" | "disabled";
                            disabledReason: string | null;
                            failingSince: string | null;
                            created: string;
                            updated: string;
                            /** @description What deliveries are signed with: only here, on create and rotate */
                            secret?: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: http-url */
                    url: string;
                    /** @description Kinds of event, content.* for a group, * for all: content.created, content.updated, content.archived, content.restored, content.deleted, policy.created, policy.updated, policy.rolled_back, policy.deleted, requester.created, requester.updated, requester.deleted, license.created, license.updated, license.revoked, license.expired, api_key.created, api_key.rotated, api_key.revoked, access.granted, access.denied, access.rate_limited */
                    events: string[];
                    description?: string | null;
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description A webhook */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook";
                        url: string;
                        events: string[];
                        description: string | null;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "disabled";
                        disabledReason: string | null;
                        failingSince: string | null;
                        created: string;
                        updated: string;
                        /** @description What deliveries are signed with: only here, on create and rotate */
                        secret?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook";
                        url: string;
                        events: string[];
                        description: string | null;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "disabled";
                        disabledReason: string | null;
                        failingSince: string | null;
                        created: string;
                        updated: string;
                        /** @description What deliveries are signed with: only here, on create and rotate */
                        secret?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: http-url */
                    url?: string;
                    /** @description Kinds of event, content.* for a group, * for all: content.created, content.updated, content.archived, content.restored, content.deleted, policy.created, policy.updated, policy.rolled_back, policy.deleted, requester.created, requester.updated, requester.deleted, license.created, license.updated, license.revoked, license.expired, api_key.created, api_key.rotated, api_key.revoked, access.granted, access.denied, access.rate_limited */
                    events?: string[];
                    description?: string | null;
                    /** @description Any JSON object: 16 KiB, 5 levels */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    metadataReplace?: boolean;
                    /** @enum {unknown} */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description A webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook";
                        url: string;
                        events: string[];
                        description: string | null;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "disabled";
                        disabledReason: string | null;
                        failingSince: string | null;
                        created: string;
                        updated: string;
                        /** @description What deliveries are signed with: only here, on create and rotate */
                        secret?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook";
                        url: string;
                        events: string[];
                        description: string | null;
                        /** @description Any JSON object: 16 KiB, 5 levels */
                        metadata: {
                            [key: string]: unknown;
                        };
                        /** @enum {unknown} */
                        status: "active" | "disabled";
                        disabledReason: string | null;
                        failingSince: string | null;
                        created: string;
                        updated: string;
                        /** @description What deliveries are signed with: only here, on create and rotate */
                        secret?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook_delivery";
                        webhookId: string;
                        eventId: string;
                        /** @enum {unknown} */
                        eventType: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                        /** @enum {unknown} */
                        status: "pending" | "succeeded" | "failed";
                        attemptCount: number;
                        nextAttemptAt: string | null;
                        /** @description The newest 20, oldest first */
                        attempts: {
                            number: number;
                            created: string;
                            request: {
                                url: string;
                                headers: {
                                    [key: string]: string;
                                };
                            };
                            statusCode: number | null;
                            durationMs: number;
                            error: string | null;
                            responseBody: string | null;
                        }[];
                        created: string;
                        updated: string;
                        /** @description What is sent; only when one delivery is read */
                        requestBody?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                status?: "pending" | "succeeded" | "failed";
                eventId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "webhook_delivery";
                            webhookId: string;
                            eventId: string;
                            /** @enum {unknown} */
                            eventType: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                            /** @enum {unknown} */
                            status: "pending" | "succeeded" | "failed";
                            attemptCount: number;
                            nextAttemptAt: string | null;
                            /** @description The newest 20, oldest first */
                            attempts: {
                                number: number;
                                created: string;
                                request: {
                                    url: string;
                                    headers: {
                                        [key: string]: string;
                                    };
                                };
                                statusCode: number | null;
                                durationMs: number;
                                error: string | null;
                                responseBody: string | null;
                            }[];
                            created: string;
                            updated: string;
                            /** @description What is sent; only when one delivery is read */
                            requestBody?: string;
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook_delivery";
                        webhookId: string;
                        eventId: string;
                        /** @enum {unknown} */
                        eventType: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                        /** @enum {unknown} */
                        status: "pending" | "succeeded" | "failed";
                        attemptCount: number;
                        nextAttemptAt: string | null;
                        /** @description The newest 20, oldest first */
                        attempts: {
                            number: number;
                            created: string;
                            request: {
                                url: string;
                                headers: {
                                    [key: string]: string;
                                };
                            };
                            statusCode: number | null;
                            durationMs: number;
                            error: string | null;
                            responseBody: string | null;
                        }[];
                        created: string;
                        updated: string;
                        /** @description What is sent; only when one delivery is read */
                        requestBody?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request again with the same key has its effect once, and the same answer, for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "webhook_delivery";
                        webhookId: string;
                        eventId: string;
                        /** @enum {unknown} */
                        eventType: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                        /** @enum {unknown} */
                        status: "pending" | "succeeded" | "failed";
                        attemptCount: number;
                        nextAttemptAt: string | null;
                        /** @description The newest 20, oldest first */
                        attempts: {
                            number: number;
                            created: string;
                            request: {
                                url: string;
                                headers: {
                                    [key: string]: string;
                                };
                            };
                            statusCode: number | null;
                            durationMs: number;
                            error: string | null;
                            responseBody: string | null;
                        }[];
                        created: string;
                        updated: string;
                        /** @description What is sent; only when one delivery is read */
                        requestBody?: string;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before */
                cursor?: string;
                /** @description Kinds of event, separated by commas; `content.*` for all of a group */
                type?: string;
                /** @description Id of the record or decision it is about */
                objectId?: string;
                /** @description Inclusive; a date or a moment, UTC */
                from?: string;
                /** @description A date, whose day is included, or a moment, exclusive */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "list";
                        data: {
                            id: string;
                            /** @enum {string} */
                            object: "event";
                            /** @enum {unknown} */
                            type: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                            created: string;
                            data: {
                                /** @description The record after the change; of a deleted one its last state */
                                object: unknown;
                                /** @description What the fields that changed were before */
                                previous?: unknown;
                            };
                        }[];
                        hasMore: boolean;
                        totalCount: number;
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Kinds of event, separated by commas; `content.*` for all of a group */
                type?: string;
                /** @description As the header Last-Event-ID, for clients that cannot set it */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that happened */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        object: "event";
                        /** @enum {unknown} */
                        type: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
                        created: string;
                        data: {
                            /** @description The record after the change; of a deleted one its last state */
                            object: unknown;
                            /** @description What the fields that changed were before */
                            previous?: unknown;
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Days up to and including today; `year` is 365 days, `all` begins with the first decision. `startDate` and `endDate` win over it. */
                period?: "7d" | "30d" | "90d" | "year" | "all";
                /** @description Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`: until now. */
                startDate?: string;
                /** @description End: a date, whose day is included, or a date-time, which is exclusive. Without `startDate`: `period` back from it. */
                endDate?: string;
                /** @description Length of a bucket. */
                groupBy?: "hour" | "day" | "week" | "month";
                /** @description IANA time zone whose clocks say where days, weeks, months and hours begin. */
                timezone?: string;
                /** @description Only this content: its id or externalId. */
                contentId?: string;
                /** @description Only this requester. */
                requesterId?: string;
                /** @description Only content that is of this type now. */
                type?: "article" | "report" | "image" | "dataset" | "video";
                /** @description Only denials for this reason: who is turned away, and for what. */
                reason?: "no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied";
                /** @description Length of the two top lists. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "usage_report";
                        summary: {
                            /** @description Decisions recorded in the period. */
                            totalRequests: number;
                            /** @description Of these, allowed. */
                            allowed: number;
                            /** @description Of these, denied. */
                            denied: number;
                            /** @description Different requesters; anonymous checks are none. */
                            uniqueRequesters: number;
                            /** @description Different items asked for. */
                            uniqueContent: number;
                        };
                        /** @description Every bucket of the period, ascending; those without decisions too. */
                        timeSeries: {
                            /** @description The bucket: its day, the Monday of its week, the first of its month, or the start of its hour. */
                            date: string;
                            /** @description Decisions in the bucket. */
                            requests: number;
                            /** @description Of these, allowed. */
                            allowed: number;
                            /** @description Of these, denied. */
                            denied: number;
                        }[];
                        /** @description The items asked for most, then by id. */
                        topContent: {
                            id: string;
                            title: string;
                            /** @description Decisions on it. */
                            requests: number;
                        }[];
                        /** @description The requesters that asked most, then by id. */
                        topRequesters: {
                            id: string;
                            name: string;
                            /** @description Decisions on its checks. */
                            requests: number;
                        }[];
                        /** @description The reasons that occurred, the most frequent first. */
                        byDenialReason: {
                            /** @enum {unknown} */
                            reason: "no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied";
                            /** @description Denials for this reason. */
                            count: number;
                        }[];
                        period: {
                            /**
                             * Format: date-time
                             * @description Start of what was counted, inclusive.
                             */
                            startDate: string;
                            /**
                             * Format: date-time
                             * @description End of what was counted, exclusive.
                             */
                            endDate: string;
                            /** @enum {unknown} */
                            groupBy: "hour" | "day" | "week" | "month";
                            timezone: string;
                        };
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How the service is doing */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        object: "status";
                        version: string;
                        /** @description When this process began to answer */
                        started: string;
                        storage: {
                            /** @description Size of the records, in bytes */
                            recordsBytes: number;
                            /** @description Size of the columns, in bytes */
                            columnsBytes: number;
                            /** @description Size of the disk they are on, in bytes */
                            diskBytes: number;
                            /** @description What of it is free, in bytes */
                            diskFreeBytes: number;
                        };
                        ledger: {
                            /** @description Decisions recorded by this process */
                            decisions: number;
                            /** @description Checks waiting to be recorded */
                            waiting: number;
                            /** @description Group commits of this process */
                            commits: number;
                        };
                        columns: {
                            /** @description Decisions not yet in the columns */
                            behind: number;
                            /** @description Times the columns were counted again */
                            rebuilds: number;
                            /** @description Times their thread was started again */
                            restarts: number;
                        };
                        webhooks: {
                            /** @description Attempts answered with success */
                            succeeded: number;
                            /** @description Attempts that failed */
                            failed: number;
                            /** @description Attempts under way */
                            inFlight: number;
                        };
                        /** @description Memory of the process, in bytes */
                        memoryBytes: number;
                    };
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
