// Written by scripts/openapi.ts; do not edit.
export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
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
        /** Check that the service takes requests */
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
    "/.well-known/authzen-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where gateways find the decision point */
        get: operations["getAuthzenConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/subject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for requesters as AuthZEN has it
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        post: operations["searchSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for items as AuthZEN has it
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        post: operations["searchResources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for permissions as AuthZEN has it
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        post: operations["searchActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a decision as AuthZEN has it
         * @description Needs the permission `access:check` (Ask for decisions).
         */
        post: operations["evaluateAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for up to 1,000 decisions as AuthZEN has it
         * @description Needs the permission `access:check` (Ask for decisions).
         */
        post: operations["evaluateAccesses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/{id}/reach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a requester may have now
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        get: operations["listReach"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/content/{id}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who may have an item now
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        get: operations["listContentReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{id}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who may have the pages of a collection now
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
         */
        get: operations["listCollectionReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy-probes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to find out what a proxy passes on
         * @description Needs the permission `access:check` (Ask for decisions). Not for public keys.
         */
        post: operations["createProxyProbe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proxy-probes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a proxy passed on
         * @description Needs the permission `access:check` (Ask for decisions). Not for public keys.
         */
        get: operations["getProxyProbe"];
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
    "/v1/access/decisions/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a decision
         * @description Needs the permission `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        get: operations["getDecisionProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of the log of receipts
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["listLogKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the key of the log of receipts, at once
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["rotateLogKey"];
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
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a collection
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Edit a collection
         * @description Needs the permission `content:write` (Create, update and delete content).
         */
        patch: operations["updateCollection"];
        trace?: never;
    };
    "/v1/collections/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a collection
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["listCollectionVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find what decides about a URL
         * @description Needs the permission `content:read` (Read content).
         */
        get: operations["matchCollection"];
        put?: never;
        /**
         * Find what would decide about a URL if a collection were stored
         * @description Needs the permission `content:read` (Read content).
         */
        post: operations["tryCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List offers
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/offers/{licenseType}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an offer
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getOffer"];
        /**
         * Offer licenses of a type, or change the offer
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        put: operations["putOffer"];
        post?: never;
        /**
         * Delete an offer
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        delete: operations["deleteOffer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sites
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listSites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getSite"];
        /**
         * Make a site, or replace its settings
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        put: operations["putSite"];
        post?: never;
        /**
         * Delete a site
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the keys that sign License tokens
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["rotateSigningKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/olp/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept a license, and get a token for it */
        post: operations["getLicenseToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/olp/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the keys that verify License tokens */
        get: operations["getLicenseTokenKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/olp/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the state of a License token
         * @description Needs the permission `access:check` (Ask for decisions). Not for public keys.
         */
        post: operations["introspectLicenseToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read robots.txt of a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getRobotsTxtSignal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/license.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read license.xml of a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getLicenseXmlSignal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/tdmrep.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read tdmrep.json of a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getTdmrepJsonSignal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/tdm-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read tdm-policy of a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getTdmPolicySignal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/headers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read headers of a site
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getHeadersSignal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the signals of a site say
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getSignalsReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{host}/signals/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the live files of a site differ
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["getSignalsDrift"];
        put?: never;
        /**
         * Compare the live files of a site now
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["checkSignalsDrift"];
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
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listRequesters"];
        put?: never;
        /**
         * Register a requester
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["createRequester"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register and edit requesters from CSV
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["importRequesters"];
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
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["getRequester"];
        put?: never;
        post?: never;
        /**
         * Delete a requester and its licenses
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        delete: operations["deleteRequester"];
        options?: never;
        head?: never;
        /**
         * Edit a requester
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        patch: operations["updateRequester"];
        trace?: never;
    };
    "/v1/requesters/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a requester: its id becomes a pseudonym in everything past; this cannot be undone
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["eraseRequester"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of a requester
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listRequesterTokens"];
        put?: never;
        /**
         * Create a token of a requester
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["createRequesterToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/{id}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a token
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["getRequesterToken"];
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        delete: operations["revokeRequesterToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requesters/{id}/tokens/{tokenId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a token by a new one
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["rotateRequesterToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/crawlers/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register crawlers as requesters
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["registerCrawlers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/crawlers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the crawler directory
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        get: operations["listCrawlers"];
        put?: never;
        /**
         * Add an entry of your own to the crawler directory
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["createCrawler"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/crawlers/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an entry of your own from the crawler directory
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deleteCrawler"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identity-lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the published lists of addresses
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listIdentityLists"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identity-lists/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a list that is held back
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["acceptIdentityList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listLicenses"];
        put?: never;
        /**
         * Create a license
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
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
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        /**
         * Delete a license
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        delete: operations["deleteLicense"];
        options?: never;
        head?: never;
        /**
         * Edit a license
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
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
         * Revoke a license permanently
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["revokeLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the terms of a license
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listLicenseTerms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the statements of a month, quarter or year
         * @description Needs the permission `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        get: operations["listStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a statement
         * @description Needs the permission `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a final statement
         * @description Needs the permissions `analytics:read` (Read usage and the decision log) and `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        get: operations["getStatementProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{id}/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a statement with a partner's counts
         * @description Needs the permission `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        post: operations["reconcileStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compute the first bill of a license that you may create
         * @description Needs the permission `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        post: operations["previewStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statements/{id}/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a statement final; it never changes again
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["finalizeStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/licenses/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report the running period of a license
         * @description Needs the permission `requesters:read` (Read requesters and licenses). Not for public keys.
         */
        get: operations["getLicenseUsage"];
        put?: never;
        post?: never;
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
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `content:read` (Read content). Not for public keys.
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
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        post: operations["previewPolicyImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the candidate of a policy, and how its decisions differ
         * @description Needs the permissions `policies:read` (Read policies, their versions and differences) and `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        get: operations["getPolicyCandidate"];
        /**
         * Try rules beside a policy: from now on they also decide its recorded checks
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        put: operations["putPolicyCandidate"];
        post?: never;
        /**
         * Discard the candidate
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        delete: operations["deletePolicyCandidate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}/candidate/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the candidate as a new version
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["publishPolicyCandidate"];
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
         * Find likely mistakes
         * @description Needs the permission `policies:read` (Read policies, their versions and differences).
         */
        post: operations["lintPolicy"];
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
         * Use this policy for new content
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["makePolicyDefault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * Restore an old version as a new one
         * @description Needs the permission `policies:write` (Create, update and delete policies).
         */
        post: operations["rollbackPolicy"];
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
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the table of roles
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["getRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user and end all sessions
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link that signs a person in, once
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a user and end all sessions
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["suspendUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reinstate a suspended user
         * @description Needs the permission `api_keys:manage` (Manage API keys).
         */
        post: operations["reinstateUser"];
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
         * List who changed what
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
    "/v1/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report what needs attention now
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["getAttention"];
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
    "/v1/analytics/visitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report visitors by page and by time
         * @description Needs the permission `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        get: operations["getVisitors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/requesters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requesters by their checks, registered or not
         * @description Needs the permission `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        get: operations["listSeenRequesters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List programs that the crawler directory does not name
         * @description Needs the permission `analytics:read` (Read usage and the decision log). Not for public keys.
         */
        get: operations["listPrograms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/demand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List denials for want of a license, by requester, crawler, collection, purpose or license
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["listDemand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who you are, your licenses and limits
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your licenses
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["listOwnLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/licenses/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report the running period of your license
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnLicenseUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your statements of a month, quarter or year
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["listOwnStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/statements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your statement
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/statements/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of your final statement
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnStatementProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the decisions about you
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["listOwnDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/decisions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a decision about you
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/decisions/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a decision about you
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnDecisionProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report your usage
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["getOwnUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask what you may have
         * @description Needs the token of a requester; answers with its own data.
         */
        post: operations["checkOwnAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you may have now
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["listOwnContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your requests for licenses, with their answers
         * @description Needs the token of a requester; answers with its own data.
         */
        get: operations["listOwnRequests"];
        put?: never;
        /**
         * Ask the publisher for a license
         * @description Needs the token of a requester; answers with its own data.
         */
        post: operations["requestLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/license-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests for licenses
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["listLicenseRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/license-requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a request for a license
         * @description Needs the permission `requesters:read` (Read requesters and licenses).
         */
        get: operations["getLicenseRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/license-requests/{id}/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant a request: creates the license
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["grantLicenseRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/license-requests/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline a request
         * @description Needs the permission `requesters:write` (Create, update and delete requesters and licenses).
         */
        post: operations["declineLicenseRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/unregistered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests that no item or collection answers
         * @description Needs the permission `analytics:read` (Read usage and the decision log).
         */
        get: operations["listUnregistered"];
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
         * Read how the service is doing
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
        AcceptIdentityList: {
            /** @description The list whose held back ranges count from now on */
            url: string;
        };
        /** @description A decision */
        AccessDecision: {
            /** @description null when the decision was not recorded */
            id: string | null;
            /** @enum {string} */
            object: "access_decision";
            allowed: boolean;
            /** @enum {unknown} */
            action: "allow" | "deny";
            /** @description null when allowed */
            reason: components["schemas"]["DenialReason"] | null;
            message: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description null: no item is registered at the URL */
            contentId: string | null;
            externalId: string | null;
            /** @description Host and path that the check asked for; the query only if a pattern of the collection names one */
            url: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            /** @description null for an anonymous check, and in the log for public keys */
            requesterId: string | null;
            /** @description Name of the crawler that the user agent names; proves nothing */
            crawler: string | null;
            /** @description How the requester was verified; null: not at all */
            verified: ("token" | "signature" | "ip" | "dns" | "license") | null;
            /**
             * @description The visitor falsely claimed to be `claimed`
             * @enum {boolean}
             */
            spoofed?: true;
            /** @description The requester or crawler that was claimed */
            claimed?: string;
            policyId: string;
            policyVersion: number;
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description The license that the rule matched */
            licenseId: string | null;
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            /** @description The quota of the license that decided; null without one */
            quota: components["schemas"]["QuotaStatus"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description false for dry runs and for checks by public keys */
            recorded: boolean;
            created: string;
            /**
             * @description Only of checks with a test key: recorded apart, and in no report
             * @enum {string}
             */
            mode?: "test";
            /** @description Seconds for which the caller may reuse this decision; absent: not at all */
            maxAge?: number;
            /** @description With `explain`: every rule in evaluation order. null for keys without `policies:read`; fields of the item are withheld from keys without `content:read`. */
            explanation?: unknown;
            /** @description With `explain`: what would have turned the denial into an allow */
            remedies?: components["schemas"]["Remedy"][];
            signals?: components["schemas"]["PageSignals"];
        };
        AccessDecisionList: {
            /** @enum {string} */
            object: "list";
            data: (components["schemas"]["AccessDecision"] | components["schemas"]["CheckError"])[];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        ActionSearch: {
            subject: components["schemas"]["EvaluationSubject"];
            resource: components["schemas"]["EvaluationResource"];
            context?: components["schemas"]["EvaluationContext"];
            page?: components["schemas"]["SearchPage"];
        } & {
            [key: string]: unknown;
        };
        ActionSearchResults: {
            page: {
                /** @description Empty at the end */
                next_token: string;
                /** @description Results in this answer: may be fewer than `limit` before the end */
                count: number;
            };
            results: {
                name: string;
            }[];
        };
        Amount: {
            /** @description A decimal in the currency */
            amount: string;
            /** @description In 1/1,000,000 of the currency; null beyond 2^53 */
            amountMicros: number | null;
        };
        /** @description A request that names no requester */
        AnonymousReader: {
            allowed: boolean;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description Conditions on facts that were not given, with which this answer could be another one */
            dependsOn: string[];
        };
        /** @description An API key */
        ApiKey: {
            id: string;
            /** @enum {string} */
            object: "api_key";
            name: string;
            /** @enum {unknown} */
            type: "secret" | "public";
            /**
             * @description The checks of a `test` key have limits, quotas and a log of their own, and are in no report
             * @enum {unknown}
             */
            mode: "live" | "test";
            permissions: components["schemas"]["KeyPermission"][];
            allowedIps: string[];
            /** @description The first 12 characters of the key; the first 17 of a test key */
            prefix: string;
            expiresAt: string | null;
            createdAt: string;
            lastUsedAt: string | null;
            /** @description The key itself; shown only once, in this answer */
            key?: string;
        };
        ApiKeyList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["ApiKey"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        ApiKeyRevoked: {
            id: string;
            /** @enum {string} */
            object: "api_key";
            /** @enum {boolean} */
            revoked: true;
        };
        /** @description What needs attention now, as far as the key may read it */
        Attention: {
            /** @enum {string} */
            object: "attention";
            /** @description The most severe first */
            data: components["schemas"]["AttentionItem"][];
            /** @description There are more than 100 */
            hasMore: boolean;
        };
        /** @description Something that needs attention */
        AttentionItem: {
            /**
             * @description `license_ending`: A license ends within 30 days. `quota`: A license has used at least 80 % of its quota. `license_request`: A partner waits for an answer to its request for a license. `webhook`: The deliveries of a webhook fail. `unreadable_address`: A proxy sent an address that cannot be read within the last day. `shared_name`: Several requesters have a user agent or a signature agent: visitors with it are refused. `identity_list`: A published list of addresses is held back, or too old to verify visitors. `crawler_directory`: The crawler directory cannot be renewed. `agent_keys`: The keys of an agent that signs cannot be fetched. `drift`: The live files of a site differ from its signals. `denials`: A requester, crawler or program is denied far more often than in the days before. `spoofing`: A visitor falsely claimed a name within the last day. `crawler`: A crawler was seen for the first time within the last seven days.
             * @enum {unknown}
             */
            kind: "license_ending" | "quota" | "license_request" | "webhook" | "unreadable_address" | "shared_name" | "identity_list" | "crawler_directory" | "agent_keys" | "drift" | "denials" | "spoofing" | "crawler";
            /** @enum {unknown} */
            severity: "high" | "medium" | "low";
            /** @description The ids of what it is about */
            subject: {
                /** @description The requester */
                requesterId?: string;
                /** @description The license */
                licenseId?: string;
                /** @description The request for a license */
                requestId?: string;
                /** @description The webhook */
                webhookId?: string;
                /** @description The site */
                host?: string;
                /** @description The crawler */
                crawler?: string;
                /** @description The program */
                program?: string;
                /** @description The name that was falsely claimed */
                claimed?: string;
                /** @description The published list */
                url?: string;
                /** @description The agent that signs */
                agent?: string;
            };
            /** @description What it is, in one sentence */
            message: string;
            /** @description Since when; null: not known */
            since: string | null;
            /** @description The operation to continue with, as a path of this API */
            path: string;
        };
        /** @description What the calling server knows of the subject, the action and the resource, for the condition `attributes` */
        Attributes: {
            [key: string]: string | number | boolean;
        };
        /** @description One change of a record, and who made it */
        AuditEntry: {
            id: string;
            /** @enum {string} */
            object: "audit_entry";
            /** @enum {unknown} */
            kind: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "policy.candidate_diverged" | "policy_candidate.created" | "policy_candidate.updated" | "policy_candidate.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "requester.erased" | "requester_token.created" | "requester_token.rotated" | "requester_token.revoked" | "requester.spoofed" | "denials.jumped" | "crawler.created" | "crawler.deleted" | "crawler.first_seen" | "identity.list_changed" | "identity.list_suspicious" | "identity.list_accepted" | "crawler_directory.replaced" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "license.expiring" | "log_keys.rotated" | "signing_keys.rotated" | "site.created" | "site.updated" | "site.deleted" | "signals.drifted" | "license.requested" | "license_request.granted" | "license_request.declined" | "license.threshold_reached" | "license.quota_exceeded" | "offer.created" | "offer.updated" | "offer.deleted" | "statement.finalized" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "user.created" | "user.signed_in" | "user.link_created" | "user.role_lost" | "user.suspended" | "user.reinstated" | "user.deleted" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.deleted" | "webhook.test" | "webhook_delivery.retried";
            created: string;
            actor: {
                /** @enum {unknown} */
                type: "api_key" | "user" | "requester_token" | "system";
                id: string | null;
                name: string | null;
            };
            address: string | null;
            requestId: string | null;
            target: {
                /** @enum {unknown} */
                type: "content" | "collection" | "policy" | "policy_candidate" | "requester" | "requester_token" | "denials" | "crawler" | "identity" | "crawler_directory" | "license" | "log_keys" | "signing_keys" | "site" | "signals" | "license_request" | "offer" | "statement" | "api_key" | "user" | "webhook" | "webhook_delivery";
                id: string;
            };
            /** @description The record before; null when it was created */
            before: unknown;
            /** @description The record after; null when it was deleted */
            after: unknown;
        };
        AuditEntryList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["AuditEntry"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        AuthzenConfiguration: {
            policy_decision_point: string;
            access_evaluation_endpoint: string;
            access_evaluations_endpoint: string;
            search_subject_endpoint: string;
            search_resource_endpoint: string;
            search_action_endpoint: string;
        };
        BulkDelete: {
            ids: string[];
        };
        BulkDeleteResult: {
            /** @enum {string} */
            object: "bulk_deletion";
            deleted: number;
            failed: number;
            errors: {
                id: string | null;
                code: components["schemas"]["ErrorCode"];
                message: string;
            }[];
        };
        BulkUpsert: {
            items: components["schemas"]["CreateContent"][];
        };
        BulkUpsertResult: {
            /** @enum {string} */
            object: "bulk_upsert";
            created: number;
            updated: number;
            /** @description Items that were already stored as sent; nothing was written */
            unchanged: number;
            failed: number;
            errors: {
                index: number;
                externalId: string | null;
                code: components["schemas"]["ErrorCode"];
                message: string;
                param: string | null;
            }[];
        };
        Check: {
            /** @description Id or externalId of the item */
            contentId?: string;
            /**
             * Format: http-url
             * @description Instead of `contentId`: the URL that was asked for. Finds the item that is served there; without one, its collection decides.
             */
            url?: string;
            urls?: components["schemas"]["RouterUrls"];
            /** @description 1–128 letters, digits or . _ : @ / - */
            requesterId?: string;
            /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
            permission?: string;
            /** @description The purpose in your own words: 1–64 characters, and not `*` */
            purpose?: string;
            context?: {
                /** Format: ip */
                ip?: string;
                /** @description Instead of `ip`: your proxy sent an address that cannot be read. Every deny rule that names an address then holds, and no allow rule that does. */
                ipUnreadable?: boolean;
                /** @description An ISO 3166 alpha-2 code in capitals */
                country?: string;
                userAgent?: string;
                /** @description The method of the original request, such as GET: kept with the inputs, never decides */
                method?: string;
                /**
                 * @description How the calling server verified the requester that it names; without one it says nothing
                 * @enum {unknown}
                 */
                verified?: "token" | "signature" | "ip" | "dns" | "license";
                /** @description Whether the calling server verified the crawler that the user agent names; only that one */
                crawlerVerified?: boolean;
                attributes?: components["schemas"]["Attributes"];
            };
            /** @description A license that the calling server vouches for */
            license?: {
                type: string;
                features?: string[];
                expiresAt?: string | null;
            };
            visitor?: components["schemas"]["Visitor"];
            /** @description Adds `explanation` and, on a denial, `remedies` */
            explain?: boolean;
            /** @description The URL of the page that the visitor wants. Adds `signals`: what the answer to it says about licenses; not with `asOf`. `id` is then the one that visitors may see. */
            page?: string;
            /** @description Decides without recording and without using a rate limit or a quota */
            dryRun?: boolean;
            /**
             * Format: date-time
             * @description With `dryRun`: decides as of this past time, with the policy version, requester and licenses of then. Past limits and quotas are unknown: `rateLimit` and `quota` are null.
             */
            asOf?: string;
        };
        CheckBatch: {
            checks: components["schemas"]["Check"][];
        };
        /** @description This check could not be decided; the others could */
        CheckError: {
            error: {
                code: components["schemas"]["ErrorCode"];
                message: string;
                type: components["schemas"]["ErrorType"];
                /** @description The field or parameter that is wrong */
                param?: string;
                /** @description Everything that is wrong */
                details?: components["schemas"]["Problem"][];
            };
        };
        CheckedSignal: {
            /**
             * @description The signal; `headers`: those of the first page
             * @enum {unknown}
             */
            kind: "robots.txt" | "license.xml" | "tdmrep.json" | "tdm-policy" | "headers";
            /** @description Where the site serves it */
            path: string;
            /**
             * @description `off`: the site has nothing to compare
             * @enum {unknown}
             */
            state: "same" | "drifted" | "unreachable" | "off";
            /** @description Why it could not be compared */
            message: string | null;
            /** @description At most 100 */
            differences: components["schemas"]["SignalDifference"][];
            differenceCount: number;
            /** @description The texts beside each other, where they differ; other lines may say the same */
            lines: {
                /** @enum {unknown} */
                kind: "same" | "intended" | "live" | "gap";
                text: string;
            }[];
        };
        /** @description A collection */
        Collection: {
            id: string;
            /** @enum {string} */
            object: "collection";
            /** Format: plain-text */
            name: string;
            description: string | null;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths: string[];
            contentTypes: components["schemas"]["ContentType"][];
            contentTags: string[];
            /** @description null: the default policy */
            policyId: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode: "enforce" | "observe";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created: string;
            updated: string;
            /** @description Other collections with which this one can tie */
            warnings?: components["schemas"]["CollectionWarning"][];
        };
        CollectionDeleted: {
            id: string;
            /** @enum {string} */
            object: "collection";
            /** @enum {boolean} */
            deleted: true;
        };
        CollectionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Collection"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description What decides about a URL */
        CollectionMatch: {
            /** @enum {string} */
            object: "collection_match";
            url: string;
            /**
             * @description What decides: an item, a collection, nothing, or several items of which none is chosen
             * @enum {unknown}
             */
            outcome: "item" | "collection" | "nothing" | "several_items";
            item: components["schemas"]["Content"] | null;
            collection: components["schemas"]["MatchedCollection"] | null;
            policyId: string | null;
            policySource: ("content" | "collection" | "default") | null;
            /** @description At most 5, the most specific first */
            runnersUp: components["schemas"]["RunnerUpCollection"][];
            /** @description What servers may read the URL as; the rest is about the first one. A check is allowed only if all are. Absent where there is one */
            readings?: components["schemas"]["UrlReading"][];
        };
        /** @description A collection as it was in one version */
        CollectionVersion: {
            id: string;
            /** @enum {string} */
            object: "collection_version";
            /** Format: plain-text */
            name: string;
            description: string | null;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths: string[];
            contentTypes: components["schemas"]["ContentType"][];
            contentTags: string[];
            /** @description null: the default policy */
            policyId: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode: "enforce" | "observe";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created: string;
            updated: string;
        };
        CollectionVersionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["CollectionVersion"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        CollectionWarning: {
            /** @enum {unknown} */
            code: "collections_tie";
            message: string;
            param: string;
        };
        /** @description A collection, and warnings about its selectors */
        CollectionWithWarnings: {
            id: string;
            /** @enum {string} */
            object: "collection";
            /** Format: plain-text */
            name: string;
            description: string | null;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths: string[];
            contentTypes: components["schemas"]["ContentType"][];
            contentTags: string[];
            /** @description null: the default policy */
            policyId: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode: "enforce" | "observe";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created: string;
            updated: string;
            /** @description Other collections with which this one can tie */
            warnings: components["schemas"]["CollectionWarning"][];
        };
        /** @description All must match for the rule to decide; see docs/conditions.md */
        Conditions: {
            default?: boolean;
            hasValidLicense?: boolean;
            licenseType?: string | string[];
            licenseTypeNot?: string | string[];
            licenseFeatures?: string[];
            licenseFeaturesNot?: string[];
            licenseExpiry?: {
                after?: string | "now";
                before?: string | "now";
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
            contentType?: components["schemas"]["ContentType"] | components["schemas"]["ContentType"][];
            contentTypeNot?: components["schemas"]["ContentType"] | components["schemas"]["ContentType"][];
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
            attributes?: {
                [key: string]: (string | number | boolean) | (string | number | boolean)[];
            };
            attributesNot?: {
                [key: string]: (string | number | boolean) | (string | number | boolean)[];
            };
            requesterVerified?: boolean | ("token" | "signature" | "ip" | "dns" | "license")[];
            crawlerVerified?: boolean;
            crawler?: string | string[];
            crawlerNot?: string | string[];
            crawlerOperator?: string | string[];
            crawlerOperatorNot?: string | string[];
            crawlerPurpose?: ("training" | "search" | "user_fetch" | "index" | "preview" | "monitoring" | "other" | "unknown") | ("training" | "search" | "user_fetch" | "index" | "preview" | "monitoring" | "other" | "unknown")[];
            crawlerPurposeNot?: ("training" | "search" | "user_fetch" | "index" | "preview" | "monitoring" | "other" | "unknown") | ("training" | "search" | "user_fetch" | "index" | "preview" | "monitoring" | "other" | "unknown")[];
            collection?: string | string[];
            collectionNot?: string | string[];
            host?: string | string[];
            hostNot?: string | string[];
            path?: string | string[];
            pathNot?: string | string[];
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
                /** @description A time of day from 00:00 to 23:59 */
                from?: string;
                /** @description A time of day from 00:00 to 23:59 */
                to?: string;
                /** Format: time-zone */
                timezone?: string;
            };
        };
        /** @description An item of content */
        Content: {
            id: string;
            /** @enum {string} */
            object: "content";
            /** Format: plain-text */
            externalId: string;
            title: string;
            type: components["schemas"]["ContentType"];
            /** Format: http-url */
            source: string;
            policyId: string;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            tags: string[];
            /** @enum {unknown} */
            status: "active" | "archived";
            /**
             * @description Why this is the policy: given to the item, of its collection, or the default
             * @enum {unknown}
             */
            policySource: "content" | "collection" | "default";
            /** @description Its most specific collection */
            collectionId: string | null;
            created: string;
            updated: string;
            stats?: {
                totalRequests: number;
                allowedRequests: number;
                deniedRequests: number;
            };
            /** @description Other items at the same file; absent without any */
            warnings?: {
                /** @enum {string} */
                code: "ambiguous_content";
                message: string;
                param: string;
            }[];
            policy?: {
                id: string;
                name: string;
                rules: unknown[];
            };
        };
        ContentDeleted: {
            id: string;
            /** @enum {string} */
            object: "content";
            /** @enum {boolean} */
            deleted: true;
        };
        ContentList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Content"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @enum {unknown} */
        ContentType: "article" | "report" | "image" | "dataset" | "video";
        /** @description A bot of the crawler directory */
        Crawler: {
            /** @enum {string} */
            object: "crawler";
            name: string;
            operator: string | null;
            purpose: components["schemas"]["CrawlerPurpose"];
            /** @description Whole tokens of its user agents, case-insensitive */
            userAgents: string[];
            /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
            identities: components["schemas"]["Identity"][];
            /** @description A page about the crawler */
            url: string | null;
            /** @description The page that the row was taken from; null where only you have it */
            source: string | null;
            /** @description You added the first token of `userAgents`, with which you can remove your entry again */
            own: boolean;
        };
        CrawlerDeleted: {
            /** @enum {string} */
            object: "crawler";
            token: string;
            /** @enum {boolean} */
            deleted: true;
        };
        CrawlerList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Crawler"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
            /** @description The directory in force */
            directory: {
                /** @description The day on which its rows were last looked at */
                date: string;
                /**
                 * @description Where it comes from: `package` is the directory of this version
                 * @enum {unknown}
                 */
                source: "package" | "file" | "url";
            };
        };
        /** @enum {unknown} */
        CrawlerPurpose: "training" | "search" | "user_fetch" | "index" | "preview" | "monitoring" | "other";
        CrawlersRegistered: {
            /** @enum {string} */
            object: "crawler_registration";
            created: number;
            unchanged: number;
            /** @description In the order of the directory */
            requesters: {
                crawler: string;
                /** @description Its requester: a new one, or the one that had this id or one of the user agents before */
                requesterId: string;
                created: boolean;
            }[];
        };
        CreateApiKey: {
            /** Format: plain-text */
            name: string;
            /** @enum {unknown} */
            type: "secret" | "public";
            /**
             * @description Default: `live`. A test key reads and checks; its checks are recorded apart
             * @enum {unknown}
             */
            mode?: "live" | "test";
            permissions?: components["schemas"]["KeyPermission"][];
            allowedIps?: string[];
            expiresAt?: string | null;
        };
        /** @description With at least one selector */
        CreateCollection: {
            /** Format: plain-text */
            name: string;
            description?: string | null;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts?: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths?: string[];
            contentTypes?: components["schemas"]["ContentType"][];
            contentTags?: string[];
            /** @description null: the default policy */
            policyId?: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode?: "enforce" | "observe";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
        };
        CreateContent: {
            /** Format: plain-text */
            externalId: string;
            title: string;
            type: components["schemas"]["ContentType"];
            /** Format: http-url */
            source: string;
            policyId?: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            tags?: string[];
        };
        CreateCrawler: {
            /** @description A whole token of its user agents, case-insensitive */
            token: string;
            /**
             * Format: plain-text
             * @description Unique, case-insensitive; absent: the token
             */
            name?: string;
            operator?: string | null;
            purpose: components["schemas"]["CrawlerPurpose"];
            /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
            identities?: components["schemas"]["Identity"][];
            url?: string | null;
        };
        CreateLicense: {
            /** @description 1–128 letters, digits or . _ : @ / - */
            requesterId: string;
            type: string;
            features?: string[];
            scope?: components["schemas"]["LicenseScope"] | null;
            startsAt?: string | null;
            expiresAt?: string | null;
            /** @enum {unknown} */
            status?: "active" | "suspended";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            terms?: components["schemas"]["LicenseTerms"] | null;
        };
        CreateLicenseRequest: {
            /**
             * Format: plain-text
             * @description The kind of license
             */
            licenseType: string;
            /** @description The collection that you want to use */
            collectionId?: string;
            /** @description What you want to do, for the publisher */
            note?: string;
        };
        CreatePolicy: {
            /** Format: plain-text */
            name: string;
            description?: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction?: "allow" | "deny";
        };
        CreateProxyProbe: {
            /**
             * Format: plain-text
             * @description The host of the site, with a port other than that of its scheme; adds `adapterProof`
             */
            host?: string;
        };
        CreateRequester: {
            /** @description 1–128 letters, digits or . _ : @ / - */
            id?: string;
            /** Format: plain-text */
            name?: string;
            type?: string | null;
            tags?: string[];
            /** @description Tokens of its user agent, case-insensitive, by which `/v1/authorize` recognizes it */
            userAgents?: string[];
            /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
            identities?: components["schemas"]["Identity"][];
            /** @description The person to write to */
            contactName?: string | null;
            /** @description The email address to write to */
            email?: string | null;
            /** @description Where bills go, in lines */
            billingAddress?: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            status?: "active" | "suspended";
        };
        CreateRequesterToken: {
            /** Format: plain-text */
            name: string;
            expiresAt?: string | null;
        };
        CreateSignInLink: {
            /**
             * Format: plain-text
             * @description Who the link is for; the same name is the same user
             */
            name: string;
            role: components["schemas"]["Role"];
        };
        CreateWebhook: {
            /** Format: http-url */
            url: string;
            /** @description Kinds of event, `content.*` for a group, `*` for all: content.created, content.updated, content.archived, content.restored, content.deleted, collection.created, collection.updated, collection.deleted, policy.created, policy.updated, policy.rolled_back, policy.deleted, policy.candidate_diverged, requester.created, requester.updated, requester.deleted, requester_token.created, requester_token.rotated, requester_token.revoked, requester.spoofed, denials.jumped, crawler.created, crawler.deleted, crawler.first_seen, identity.list_suspicious, license.created, license.updated, license.revoked, license.expired, license.expiring, site.created, site.updated, site.deleted, signals.drifted, license.requested, license_request.granted, license_request.declined, license.threshold_reached, license.quota_exceeded, offer.created, offer.updated, offer.deleted, statement.finalized, api_key.created, api_key.rotated, api_key.revoked, access.granted, access.denied, access.rate_limited */
            events: string[];
            description?: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
        };
        DeclineLicenseRequest: {
            /** @description For the requester */
            answer?: string;
        };
        /** @description The delivery of one event to one webhook */
        Delivery: {
            id: string;
            /** @enum {string} */
            object: "webhook_delivery";
            webhookId: string;
            eventId: string;
            eventType: components["schemas"]["EventType"];
            /** @enum {unknown} */
            status: "pending" | "succeeded" | "failed";
            attemptCount: number;
            nextAttemptAt: string | null;
            /** @description The newest 20, oldest first */
            attempts: components["schemas"]["DeliveryAttempt"][];
            created: string;
            updated: string;
            /** @description The body that is sent; only when a single delivery is read */
            requestBody?: string;
        };
        DeliveryAttempt: {
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
        };
        DeliveryList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Delivery"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        Demand: {
            /** @description null: without a requester, or not grouped by `who` or `requester`. */
            requesterId: string | null;
            /** @description The name of the registered requester, else the id. */
            name: string | null;
            registered: boolean;
            who?: components["schemas"]["Who"];
            /** @description Only if grouped by it. null: no crawler. */
            crawler?: string | null;
            /** @description Only if grouped by it. null: in no collection. */
            collectionId?: string | null;
            /** @description Only if grouped by collection. */
            collectionName?: string | null;
            /** @description Only if grouped by it. null: no purpose named. */
            purpose?: string | null;
            /** @description Only if grouped by license type. */
            license?: {
                /** @description Types of which any one would have turned the denials. */
                licenseTypes: string[];
                /** @description A license of any type would have. Without it and without types, no license alone would have, or an earlier version recorded them. */
                anyLicense: boolean;
            };
            /** @description Denials in the span. */
            denied: number;
            /** @description Denials in the span of the same length before it. */
            previous: number;
            /** @description Denials in 12 equal parts of the span, oldest first. */
            trend: number[];
            /**
             * Format: date-time
             * @description Time of the first of these denials, also before the span.
             */
            since: string;
            /**
             * Format: date-time
             * @description Time of the newest of these denials.
             */
            lastSeen: string;
            /** @description Distinct items that were denied. */
            uniqueContent: number;
            /** @description Distinct URLs without an item that were denied; all spellings of a file are one. */
            uniqueUrls: number;
            /** @description Most frequent first. */
            byReason: {
                reason: components["schemas"]["DenialReason"];
                /** @description Denials for this reason. */
                count: number;
            }[];
            /** @description By the license that would have turned them: the ten most frequent, most frequent first. */
            byLicense: {
                /** @description Types of which any one would have turned the denials. */
                licenseTypes: string[];
                /** @description A license of any type would have. Without it and without types, no license alone would have, or an earlier version recorded them. */
                anyLicense: boolean;
                /** @description Denials. */
                denied: number;
                estimate: components["schemas"]["DemandEstimate"] | null;
            }[];
            /** @description The ten most frequent, most frequent first. */
            purposes: {
                /** @description null: no purpose named. */
                purpose: string | null;
                /** @description Denials for this purpose. */
                denied: number;
            }[];
            /** @description The three most frequent. */
            crawlers: {
                crawler: string;
                /** @description Denials. */
                denied: number;
            }[];
            /** @description The three most frequent. */
            collections: {
                collectionId: string;
                /** @description null: deleted. */
                name: string | null;
                /** @description Denials. */
                denied: number;
            }[];
            /** @description The three items denied most. */
            topContent: {
                id: string;
                title: string;
                /** @description Denials of this item. */
                denied: number;
            }[];
        };
        /** @description The denied requests at the prices of the cheapest type, without minimum and flat fee: those of a license of this type that the requester holds, or else of the price list, or else of the newest valid license. Only for secret keys with `requesters:read`. */
        DemandEstimate: {
            /** @description A decimal in the currency. */
            amount: string;
            /** @description In 1/1,000,000 of the currency; null beyond 2^53. */
            amountMicros: number | null;
            currency: string;
            /** @description What the terms would have counted. */
            units: number;
            basis: {
                licenseType: string;
                /** @description The license whose terms count: one of the requester, or the newest valid one of this type; null: the price list. */
                licenseId: string | null;
                termsVersion: number | null;
                /** @description The entry of the price list; null: terms of a license. */
                offerId: string | null;
                /**
                 * @description What is counted: allowed decisions, or the items and URLs that they allowed, each once per period
                 * @enum {unknown}
                 */
                unit: "decision" | "distinct_content";
            };
        };
        DemandList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Demand"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @enum {unknown} */
        DenialReason: "no_license" | "license_expired" | "rate_limit_exceeded" | "permission_not_granted" | "content_archived" | "requester_suspended" | "policy_denied" | "quota_exceeded";
        /** @description A license, and warnings about the edit */
        EditedLicense: {
            id: string;
            /** @enum {string} */
            object: "license";
            requesterId: string;
            type: string;
            features: string[];
            scope: components["schemas"]["LicenseScope"] | null;
            startsAt: string | null;
            expiresAt: string | null;
            /** @enum {unknown} */
            status: "active" | "suspended" | "revoked";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            terms: components["schemas"]["LicenseTerms"] | null;
            /** @description Number of the newest version of `terms` */
            termsVersion: number | null;
            /** @description When that version takes effect */
            termsEffectiveAt: string | null;
            /** @description Whether the license is active, started and not expired now */
            valid: boolean;
            created: string;
            updated: string;
            /** @description Billing periods that are no longer billed with the new dates; absent without any */
            warnings?: components["schemas"]["LicenseWarning"][];
        };
        /** @description An erasure of a requester; it cannot be undone */
        Erasure: {
            id: string;
            /** @enum {string} */
            object: "erasure";
            /**
             * @description `done`: no trace is left; the id then answers as never known
             * @enum {unknown}
             */
            status: "running" | "done";
            /** @description Stands for the requester in past decisions, statements and changes */
            pseudonym: string;
            /** @description Decisions in which it was replaced so far */
            decisions: number;
            /** @description Decisions that were looked at so far, of `of` */
            walked: number;
            /** @description Decisions when it began */
            of: number;
            created: string;
            updated: string;
        };
        Error: {
            error: {
                code: components["schemas"]["ErrorCode"];
                message: string;
                type: components["schemas"]["ErrorType"];
                /** @description The field or parameter that is wrong */
                param?: string;
                /** @description Everything that is wrong */
                details?: components["schemas"]["Problem"][];
                requestId: string;
            };
        };
        /** @enum {unknown} */
        ErrorCode: "invalid_request" | "ambiguous_content" | "invalid_json" | "invalid_cursor" | "missing_api_key" | "invalid_api_key" | "invalid_token" | "missing_requester_token" | "invalid_requester_token" | "insufficient_permissions" | "ip_not_allowed" | "requester_suspended" | "content_not_found" | "collection_not_found" | "site_not_found" | "signal_not_found" | "policy_not_found" | "policy_version_not_found" | "candidate_not_found" | "requester_not_found" | "requester_token_not_found" | "license_not_found" | "license_request_not_found" | "offer_not_found" | "crawler_not_found" | "user_not_found" | "proxy_probe_not_found" | "statement_not_found" | "api_key_not_found" | "decision_not_found" | "webhook_not_found" | "event_not_found" | "delivery_not_found" | "route_not_found" | "method_not_allowed" | "external_id_exists" | "requester_exists" | "crawler_exists" | "too_many_crawlers" | "statement_running" | "statement_not_final" | "statement_final" | "license_request_closed" | "too_many_license_requests" | "policy_in_use" | "default_policy" | "last_admin_key" | "idempotency_key_in_use" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "api_rate_limit_exceeded" | "idempotency_key_reused" | "internal_error" | "service_unavailable" | "storage_full";
        /** @enum {unknown} */
        ErrorType: "validation_error" | "authentication_error" | "authorization_error" | "not_found_error" | "conflict_error" | "rate_limit_error" | "idempotency_error" | "api_error";
        Evaluation: {
            subject: components["schemas"]["EvaluationSubject"];
            action: components["schemas"]["EvaluationAction"];
            resource: components["schemas"]["EvaluationResource"];
            context?: components["schemas"]["EvaluationContext"];
        } & {
            [key: string]: unknown;
        };
        /** @description `name` is the permission */
        EvaluationAction: {
            /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
            name: string;
            /** @description Texts, numbers and booleans are attributes that rules can read; other values are ignored */
            properties?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description Facts about the original request */
        EvaluationContext: {
            /** @description The purpose in your own words: 1–64 characters, and not `*` */
            purpose?: string;
            /** @description An ISO 3166 alpha-2 code in capitals */
            country?: string;
            /** Format: ip */
            ip?: string;
            userAgent?: string;
        } & {
            [key: string]: unknown;
        };
        EvaluationDecision: {
            decision: boolean;
            context: components["schemas"]["EvaluationDecisionContext"];
        };
        EvaluationDecisionContext: {
            /** @description Id of the decision */
            id?: string | null;
            /** @description null when allowed */
            reason?: (components["schemas"]["DenialReason"] | null) | ("content_not_found" | "ambiguous_content");
            /** @description On a denial: a sentence */
            reason_user?: {
                en: string;
            };
            /** @description Of one evaluation: what would have turned the denial, as checks with `explain` have it */
            remedies?: unknown[];
            /**
             * @description The collection only observes: `decision` is true, also where the policy denies
             * @enum {boolean}
             */
            enforced?: false;
            /** @description With `enforced`: what the policy says */
            allowed?: boolean;
            /** @description This evaluation is not valid */
            error?: {
                status: number;
                message: string;
            };
        };
        EvaluationDecisions: {
            /** @description In the order of the request */
            evaluations?: components["schemas"]["EvaluationDecision"][];
            /** @description Without `evaluations` in the request */
            decision?: boolean;
            context?: components["schemas"]["EvaluationDecisionContext"];
        };
        /** @description The item or URL that is asked for */
        EvaluationResource: {
            type: string;
            /** @description Id or externalId of the item, or a URL */
            id: string;
            /** @description Texts, numbers and booleans are attributes that rules can read; other values are ignored */
            properties?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description The requester; `id` is its id */
        EvaluationSubject: {
            type: string;
            /** @description 1–128 letters, digits or . _ : @ / - */
            id: string;
            /** @description Texts, numbers and booleans are attributes that rules can read; other values are ignored */
            properties?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Evaluations: {
            subject?: {
                [key: string]: unknown;
            };
            action?: {
                [key: string]: unknown;
            };
            resource?: {
                [key: string]: unknown;
            };
            context?: {
                [key: string]: unknown;
            };
            evaluations?: unknown[];
            options?: {
                /**
                 * @description When to stop; `execute_all` by default: never
                 * @enum {unknown}
                 */
                evaluations_semantic?: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description A change of a record, or a decision */
        Event: {
            id: string;
            /** @enum {string} */
            object: "event";
            type: components["schemas"]["EventType"];
            created: string;
            data: {
                /** @description The record after the change; for a deleted record, its last state */
                object: unknown;
                /** @description The previous values of the fields that changed */
                previous?: unknown;
            };
        };
        EventList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Event"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @enum {unknown} */
        EventType: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "policy.candidate_diverged" | "requester.created" | "requester.updated" | "requester.deleted" | "requester_token.created" | "requester_token.rotated" | "requester_token.revoked" | "requester.spoofed" | "denials.jumped" | "crawler.created" | "crawler.deleted" | "crawler.first_seen" | "identity.list_suspicious" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "license.expiring" | "site.created" | "site.updated" | "site.deleted" | "signals.drifted" | "license.requested" | "license_request.granted" | "license_request.declined" | "license.threshold_reached" | "license.quota_exceeded" | "offer.created" | "offer.updated" | "offer.deleted" | "statement.finalized" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "access.granted" | "access.denied" | "access.rate_limited" | "webhook.test";
        /** @description What a license would cost in its first billing period */
        FirstBill: {
            /** @enum {string} */
            object: "first_bill";
            /** @description `2026-10`, `2026-Q4` or `2026` */
            period: string;
            /**
             * Format: date-time
             * @description When the license starts within the period
             */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive
             */
            to: string;
            /** @description A first or last period that is not whole, and what counts in it; null: a whole period */
            partialPeriod: components["schemas"]["PartialPeriod"] | null;
            units: number;
            lines: components["schemas"]["StatementLine"][];
            total: components["schemas"]["Amount"];
        };
        FirstBillRequest: {
            terms: components["schemas"]["LicenseTerms"];
            /** @description When the license starts; now by default */
            startsAt?: string | null;
            /** @description When the license ends; never by default */
            expiresAt?: string | null;
            /** @description Units of the period; 0 by default */
            units?: number;
        };
        /** @description Fields of the license, with `terms` or `free: true`. A request for a collection is granted for that collection, unless `scope` is null or has other `collectionIds`. Without `expiresAt`, the license ends a year after it starts; null: no end. */
        GrantLicenseRequest: {
            type?: string;
            features?: string[];
            scope?: components["schemas"]["LicenseScope"] | null;
            startsAt?: string | null;
            expiresAt?: string | null;
            /** @enum {unknown} */
            status?: "active" | "suspended";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            terms?: components["schemas"]["LicenseTerms"] | null;
            /** @description Grants a license without terms, which is never billed */
            free?: boolean;
            /** @description For the requester */
            answer?: string;
        };
        HashedDecisions: {
            decisions: number;
            /** @description SHA-256 over the sorted decision ids, each followed by a line feed */
            sha256: string;
        };
        /** @description A way to verify that a visitor is who it claims to be */
        Identity: {
            /** @enum {string} */
            kind: "ip";
            /** @description Its addresses and ranges */
            ranges: string[];
        } | {
            /** @enum {string} */
            kind: "ip";
            /**
             * Format: http-url
             * @description The address of a published list of its ranges
             */
            list: string;
        } | {
            /** @enum {string} */
            kind: "dns";
            /** @description Ends of the host names of its addresses, on label boundaries */
            suffixes: string[];
        } | {
            /** @enum {string} */
            kind: "signature";
            /**
             * Format: http-url
             * @description Its signature agent
             */
            agent: string;
        };
        /** @description A published list of addresses that verify a name */
        IdentityList: {
            /** @description Its URL */
            id: string;
            /** @enum {string} */
            object: "identity_list";
            url: string;
            /** @description Number of ranges in force */
            ranges: number;
            /** @description Whether it verifies visitors: it was found published within seven days */
            fresh: boolean;
            /** @description When the ranges in force were last found published */
            fetched: string | null;
            /** @description When it was last asked for */
            attempted: string | null;
            /** @description Failed fetches since the last that succeeded */
            failures: number;
            /** @description When the first of these was; null without one, or if it is not known */
            failingSince: string | null;
            /** @description Why the last fetch failed */
            error: string | null;
            /** @description Ranges that are held back, because the list shrank by more than half */
            held: {
                ranges: number;
                since: string;
            } | null;
        };
        IdentityListList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["IdentityList"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        IntrospectRequest: {
            /** @description The License token */
            token: string;
        };
        /** @enum {unknown} */
        KeyPermission: "content:read" | "content:write" | "policies:read" | "policies:write" | "requesters:read" | "requesters:write" | "access:check" | "analytics:read" | "webhooks:manage" | "api_keys:manage" | "*";
        /** @description A license */
        License: {
            id: string;
            /** @enum {string} */
            object: "license";
            requesterId: string;
            type: string;
            features: string[];
            scope: components["schemas"]["LicenseScope"] | null;
            startsAt: string | null;
            expiresAt: string | null;
            /** @enum {unknown} */
            status: "active" | "suspended" | "revoked";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            terms: components["schemas"]["LicenseTerms"] | null;
            /** @description Number of the newest version of `terms` */
            termsVersion: number | null;
            /** @description When that version takes effect */
            termsEffectiveAt: string | null;
            /** @description Whether the license is active, started and not expired now */
            valid: boolean;
            created: string;
            updated: string;
        };
        LicenseDeleted: {
            id: string;
            /** @enum {string} */
            object: "license";
            /** @enum {boolean} */
            deleted: true;
        };
        LicenseList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["License"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        LicenseQuota: {
            /** @description Units included per period */
            units: number;
            /**
             * @description By default the billing period; `term`: the whole license
             * @enum {unknown}
             */
            period?: "day" | "week" | "month" | "quarter" | "year" | "term";
            /**
             * @description `deny`: units beyond the quota are denied; `allow`: they are allowed and billed
             * @enum {unknown}
             */
            onExceed: "deny" | "allow";
        };
        /** @description A request for a license */
        LicenseRequest: {
            id: string;
            /** @enum {string} */
            object: "license_request";
            requesterId: string;
            licenseType: string;
            /** @description The collection that it is about */
            collectionId: string | null;
            /** @description From the requester */
            note: string | null;
            /** @enum {unknown} */
            status: "open" | "granted" | "declined";
            /** @description From the publisher */
            answer: string | null;
            /** @description The license that was granted */
            licenseId: string | null;
            created: string;
            updated: string;
        };
        LicenseRequestList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["LicenseRequest"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description What the license covers; it must be in every list given */
        LicenseScope: {
            contentIds?: string[];
            contentTypes?: components["schemas"]["ContentType"][];
            tags?: string[];
            policyIds?: string[];
            /** @description Covers what is decided by one of these collections. An empty list, or a deleted collection, covers nothing */
            collectionIds?: string[];
        };
        /** @description The terms that the license is billed by */
        LicenseTerms: {
            /**
             * Format: plain-text
             * @description Your name of the contract
             */
            reference?: string;
            /**
             * Format: currency
             * @description An ISO 4217 code
             */
            currency: string;
            /**
             * Format: time-zone
             * @description An IANA time zone
             */
            timezone: string;
            /**
             * @description The calendar period of a statement
             * @enum {unknown}
             */
            period: "month" | "quarter" | "year";
            /**
             * @description What is counted: allowed decisions, or the items and URLs that they allowed, each once per period
             * @enum {unknown}
             */
            unit: "decision" | "distinct_content";
            /** @description Purposes that are counted; all by default */
            purposes?: string[];
            /** @description Graduated prices, ascending */
            tiers: components["schemas"]["LicenseTier"][];
            /** @description The least that the units of a period cost */
            minimumMicros?: number;
            /** @description A fee per period, beside the units */
            flatMicros?: number;
            quota?: components["schemas"]["LicenseQuota"];
            /** @description Reduces `minimumMicros`, `flatMicros` and a quota by month, quarter or year in a first or last period that is not whole, by calendar days; in full by default */
            prorate?: boolean;
            /** @description Parts of the quota that are announced when they are reached, ascending; by default 0.5, 0.8 and 1 */
            alerts?: number[];
        };
        /** @description The terms of a license as one edit left them; null: they ended */
        LicenseTermsVersion: {
            /** @enum {string} */
            object: "license_terms";
            licenseId: string;
            version: number;
            terms: components["schemas"]["LicenseTerms"] | null;
            /**
             * @description `replaced`: a later version replaced it before it took effect
             * @enum {unknown}
             */
            state: "current" | "pending" | "past" | "replaced";
            effectiveFrom: string;
            /** @description null: without an end */
            effectiveTo: string | null;
            created: string;
            updated: string;
        };
        LicenseTermsVersionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["LicenseTermsVersion"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        LicenseTier: {
            /** @description null in the last tier */
            upTo: number | null;
            /** @description Price of a unit, in 1/1,000,000 of the currency */
            unitPriceMicros: number;
        };
        LicenseToken: {
            /** @description Send it as `Authorization: License …` to the site */
            access_token: string;
            /** @enum {string} */
            token_type: "License";
            /** @description Seconds, at most 600 */
            expires_in: number;
        };
        /** @description A JWK Set (RFC 7517) with the keys that verify License tokens */
        LicenseTokenKeys: {
            keys: {
                kid: string;
                kty: string;
                crv: string;
                x: string;
                y: string;
                alg: string;
                use: string;
            }[];
        };
        LicenseTokenRequest: {
            /** @description `client_credentials` */
            grant_type: string;
            /** @description The element `license` of license.xml that you accept; at most 16 KiB */
            license: string;
            /** @description A URL, or the `url` of a `content` in license.xml */
            resource: string;
        };
        LicenseTokenState: {
            /** @description false: nothing else is said */
            active: boolean;
            /** @enum {string} */
            token_type?: "License";
            /** @description The requester */
            client_id?: string;
            /** @description The requester */
            sub?: string;
            /** @description The only license that checks with it may use */
            license_id?: string;
            /** @description It holds at this URL and below */
            aud?: string;
            iss?: string;
            iat?: number;
            exp?: number;
        };
        /** @description The running period of a license */
        LicenseUsage: {
            /** @enum {string} */
            object: "license_usage";
            licenseId: string;
            /** @description The statement of the running period */
            statementId: string;
            period: string;
            from: string;
            to: string;
            /**
             * @description What is counted: allowed decisions, or the items and URLs that they allowed, each once per period
             * @enum {unknown}
             */
            unit: "decision" | "distinct_content";
            /**
             * Format: currency
             * @description An ISO 4217 code
             */
            currency: string;
            /** @description A first or last period that is not whole, and what counts in it; null: a whole period */
            partialPeriod: components["schemas"]["PartialPeriod"] | null;
            /** @description Used so far */
            units: number;
            /** @description By the end of the period, at the pace so far, which is that of a day at least; no more than a quota that denies still gives */
            projectedUnits: number;
            decisions: number;
            amount: components["schemas"]["Amount"];
            projectedAmount: components["schemas"]["Amount"];
            quota: components["schemas"]["QuotaStatus"] | null;
            alerts: {
                at: number;
                reached: boolean;
            }[];
            byPurpose: {
                purpose: string | null;
                units: number;
                decisions: number;
            }[];
            byDay: {
                date: string;
                decisions: number;
            }[];
        };
        LicenseWarning: {
            /** @enum {unknown} */
            code: "unbilled_period";
            message: string;
            /** @enum {unknown} */
            param: "startsAt" | "expiresAt";
        };
        LintPolicy: {
            /** Format: plain-text */
            name?: string;
            description?: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction?: "allow" | "deny";
        };
        LintWarning: {
            /** @enum {unknown} */
            code: "unreachable_rule" | "license_contradiction" | "catch_all_before_others" | "default_rule_order" | "duplicate_rule" | "deny_evaded_by_silence" | "identities_not_required" | "permissions_on_deny" | "rate_limit_on_deny" | "unknown_permission" | "unknown_user_agent";
            message: string;
            param: string;
        };
        LogKeys: {
            /** @enum {string} */
            object: "log_keys";
            /** @description The newest first; none where no log is kept */
            keys: {
                /** @description A verifier key (C2SP signed-note); the private part is never shown */
                key: string;
                /** @description null: the first key */
                since: string | null;
                /** @description null: it signs now */
                until: string | null;
            }[];
        };
        /** @description A recorded decision and the check it answers */
        LoggedDecision: {
            id: string;
            /** @description The id as partners and visitors see it; both are found */
            publicId: string;
            /** @enum {string} */
            object: "access_decision";
            allowed: boolean;
            /** @enum {unknown} */
            action: "allow" | "deny";
            /** @description null when allowed */
            reason: components["schemas"]["DenialReason"] | null;
            message: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description null: no item is registered at the URL */
            contentId: string | null;
            externalId: string | null;
            /** @description Host and path that the check asked for; the query only if a pattern of the collection names one */
            url: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            /** @description null for an anonymous check, and in the log for public keys */
            requesterId: string | null;
            /** @description Name of the crawler that the user agent names; proves nothing */
            crawler: string | null;
            /** @description How the requester was verified; null: not at all */
            verified: ("token" | "signature" | "ip" | "dns" | "license") | null;
            /**
             * @description The visitor falsely claimed to be `claimed`
             * @enum {boolean}
             */
            spoofed?: true;
            /** @description The requester or crawler that was claimed */
            claimed?: string;
            policyId: string;
            policyVersion: number;
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description The license that the rule matched */
            licenseId: string | null;
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            /** @description The quota of the license that decided; null without one */
            quota: components["schemas"]["QuotaStatus"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description false for dry runs and for checks by public keys */
            recorded: boolean;
            created: string;
            /**
             * @description Only of checks with a test key: recorded apart, and in no report
             * @enum {string}
             */
            mode?: "test";
            /** @description The URL that stands for all spellings of the file; absent where that is `url` */
            file?: string;
            /** @description The permission that the check requested */
            permission: string | null;
            purpose: string | null;
            /** @description What the check said of the visitor; null for public keys */
            context: {
                ip?: string;
                country?: string;
                userAgent?: string;
                /** @description The method of the original request */
                method?: string;
                /** @enum {unknown} */
                verified?: "token" | "signature" | "ip" | "dns" | "license";
                /** @description The crawler that the user agent names was proven */
                crawlerVerified?: boolean;
                attributes?: components["schemas"]["Attributes"];
            } | null;
            /** @description The license that the check vouched for, or that of its License token */
            license: {
                /** @description Of a License token: the check could use no other license */
                id?: string;
                type?: string;
                features?: string[];
                expiresAt?: string | null;
            } | null;
            /** @description What the router of the caller ignores in paths, as the check said */
            urls?: {
                /** @enum {string} */
                case?: "ignored";
                /** @enum {string} */
                finalSlash?: "ignored";
            };
            /** @description Inputs that the privacy settings shortened or removed; conditions on them cannot be evaluated again */
            reduced?: ("context" | "context.ip" | "context.userAgent" | "license")[];
            /** @description Inputs that could not be read: a proxy sent an address in no known form */
            unreadable?: "context.ip"[];
            /** @description What the candidate of the policy decided, before limits; absent without a candidate */
            candidate?: {
                allowed: boolean;
                /** @description null when allowed */
                reason: components["schemas"]["DenialReason"] | null;
                /** @description Index in the rules of the candidate */
                rule: number | null;
            };
            /**
             * @description How the access broke robots.txt as it was then; only with the filter `robots`
             * @enum {unknown}
             */
            robots?: "broken" | "within_24h";
            /** @description Current names; only with `expand=names` */
            names?: {
                /** @description Title of the item */
                content: string | null;
                /** @description null for anonymous checks and unregistered requesters */
                requester: string | null;
                /** @description null once the policy is deleted, and for keys without `policies:read` */
                policy: string | null;
                /** @description null once the collection is deleted */
                collection: string | null;
            };
        };
        LoggedDecisionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["LoggedDecision"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A collection, and the selectors by which it matches; null where it gives none */
        MatchedCollection: {
            id: string;
            name: string;
            policyId: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode: "enforce" | "observe";
            path: string | null;
            host: string | null;
            contentType: string | null;
            contentTag: string | null;
        };
        MatchedRule: {
            /** @description Index in the stored `rules` */
            index: number;
            priority: number;
        };
        /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
        OAuthError: {
            error: string;
            error_description: string;
        };
        /** @description What a license of a type costs, and how to get one */
        Offer: {
            id: string;
            /** @enum {string} */
            object: "offer";
            licenseType: string;
            /** @description null: everywhere */
            collectionId: string | null;
            /** @description The features that such a license has; rules may ask for them */
            features: string[];
            /**
             * @description What the price buys: one access, a month or a year
             * @enum {unknown}
             */
            unit: "decision" | "month" | "year";
            /** @description Price of a unit, in 1/1,000,000 of the currency; null: on request */
            unitPriceMicros: number | null;
            /** @description An ISO 4217 code */
            currency: string | null;
            /** @description The email address to write to */
            contact: string | null;
            /** @description The page about this license */
            url: string | null;
            /** @description The first time at which the offer is no longer shown; null: no end */
            validUntil: string | null;
            x402: components["schemas"]["OfferX402"] | null;
            created: string;
            updated: string;
        };
        OfferDeleted: {
            id: string;
            /** @enum {string} */
            object: "offer";
            /** @enum {boolean} */
            deleted: true;
        };
        OfferList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Offer"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description How a client of x402 may pay; a server of yours takes the payment */
        OfferX402: {
            /** @description `exact` by default */
            scheme?: string;
            /** @description A CAIP-2 network, such as `eip155:8453` */
            network: string;
            /** @description The token: one of it is worth one unit of `currency`; or an ISO 4217 code */
            asset: string;
            /** @description The address that is paid, or a role such as `merchant` */
            payTo: string;
            /** @description Digits of the token after the point, 6 by default */
            decimals?: number;
            /** @description Seconds until a payment must be complete, 60 by default */
            maxTimeoutSeconds?: number;
            extra?: {
                /** @description Name of the token, such as `USDC` */
                name?: string;
                /** @description Its version */
                version?: string;
            };
        };
        /** @description An offer as visitors see it */
        Offered: {
            licenseType: string;
            /** @description The features that such a license has */
            features: string[];
            /** @enum {unknown} */
            unit: "decision" | "month" | "year";
            /** @description In 1/1,000,000 of the currency; absent: on request */
            unitPriceMicros?: number;
            currency?: string;
            contact?: string;
            url?: string;
            validUntil?: string;
            /** @description An entry of `accepts` in x402 version 2 */
            x402?: {
                scheme: string;
                network: string;
                amount: string;
                asset: string;
                payTo: string;
                maxTimeoutSeconds: number;
                extra?: {
                    name?: string;
                    version?: string;
                };
            };
        };
        /** @description With `page`: what the answer to the visitor says about licenses */
        PageSignals: {
            /** @description For the answer to an allowed or observed request */
            headers: {
                link?: string;
                "tdm-reservation"?: string;
                "tdm-policy"?: string;
                "content-usage"?: string;
            };
            /** @description For the answer to a denied request */
            denialHeaders: {
                link?: string;
                /** @description Asks for a License token; only of sites with a license server */
                "www-authenticate"?: string;
            };
            /** @description The page of the site about licenses */
            licensingUrl: string | null;
            /**
             * @description The page is a file for crawlers, such as robots.txt or a sitemap in the settings of the site: serve it also if access is denied
             * @enum {boolean}
             */
            free?: true;
        };
        PageVisits: {
            /** @description Host and path, without a query. */
            page: string;
            /** @description Decisions. */
            requests: number;
            /** @description Allowed decisions. */
            allowed: number;
            /** @description Denied decisions. */
            denied: number;
            /** @description Requests that were verified. */
            verified: number;
            /** @description Requests whose visitor claimed a name falsely. */
            spoofed: number;
        };
        PartialPeriod: {
            /** @description Calendar days that the license lasts in the period */
            days: number;
            /** @description Calendar days of the period */
            of: number;
            /** @description The terms say `prorate`; else the amounts count in full */
            prorated: boolean;
            /** @description As it counts in this period; null without one */
            minimumMicros: number | null;
            /** @description As it counts in this period; null without one */
            flatMicros: number | null;
            /** @description As they count in this period; null without a quota of the billing period */
            quotaUnits: number | null;
        };
        /** @description The requester of the token */
        Partner: {
            /** @enum {string} */
            object: "partner";
            requester: {
                id: string;
                name: string;
                /** @description Texts in the user agent by which it is recognized */
                userAgents: string[];
                /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
                identities: components["schemas"]["Identity"][];
                created: string;
            };
            token: {
                id: string;
                name: string;
                prefix: string;
                expiresAt: string | null;
            };
            /** @description Those that are valid or begin later, newest first, at most 100; `GET /v1/me/licenses` lists all */
            licenses: components["schemas"]["PartnerLicense"][];
            /** @description The publisher, as its settings say */
            publisher: {
                name: string | null;
                /** @description A mail address or a URL */
                contact: string | null;
                /** @description A picture, as a data URL */
                logo: string | null;
            };
            /** @description There are receipts of decisions and of final statements */
            receipts: boolean;
            /** @description Kinds of licenses that anybody may ask for, with their prices; at most 100 */
            offers: components["schemas"]["Offered"][];
            /** @description Its own rate limits, each as the latest of its last 100 decisions left it */
            limits: components["schemas"]["PartnerLimit"][];
        };
        /** @description Whether the partner may have something now */
        PartnerAccess: {
            /** @enum {string} */
            object: "partner_access";
            /** @description As it was asked for */
            contentId?: string;
            /** @description As it was asked for */
            url?: string;
            allowed: boolean;
            /** @description null when allowed */
            reason: components["schemas"]["DenialReason"] | null;
            message: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description The license that the rule matched */
            licenseId: string | null;
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            /** @description The quota of the license that decided; null without one */
            quota: components["schemas"]["QuotaStatus"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description What would turn the denial */
            remedies: components["schemas"]["PartnerRemedy"][];
            created: string;
        };
        PartnerAccessList: {
            /** @enum {string} */
            object: "list";
            data: (components["schemas"]["PartnerAccess"] | components["schemas"]["CheckError"])[];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        PartnerCheck: {
            /** @description Id or externalId of the item */
            contentId?: string;
            /**
             * Format: http-url
             * @description Instead of `contentId`: the URL that was asked for. Finds the item that is served there; without one, its collection decides.
             */
            url?: string;
            /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
            permission?: string;
            /** @description The purpose in your own words: 1–64 characters, and not `*` */
            purpose?: string;
        };
        PartnerChecks: {
            checks: components["schemas"]["PartnerCheck"][];
        };
        /** @description An item that the partner may have now */
        PartnerContent: {
            id: string;
            /** @enum {string} */
            object: "content";
            externalId: string;
            title: string;
            type: components["schemas"]["ContentType"];
            source: string;
            /** @description What it may be used for */
            permissions: string[];
            /** @description The license that allows it */
            licenseId: string | null;
            created: string;
            updated: string;
        };
        PartnerContentList: {
            /** @enum {string} */
            object: "list";
            /** @description May be fewer than `limit` while there are more */
            data: components["schemas"]["PartnerContent"][];
            hasMore: boolean;
            /** @description Not counted */
            totalCount: null;
            nextCursor: string | null;
        };
        /** @description CSV with a row of names: `count`, and any of `date`, `contentId` or `url`, and `purpose` */
        PartnerCounts: string;
        /** @description A recorded decision about the partner */
        PartnerDecision: {
            id: string;
            /** @enum {string} */
            object: "access_decision";
            allowed: boolean;
            /** @enum {unknown} */
            action: "allow" | "deny";
            /** @description null when allowed */
            reason: components["schemas"]["DenialReason"] | null;
            message: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description null: no item is registered at the URL */
            contentId: string | null;
            externalId: string | null;
            /** @description Host and path that the check asked for; the query only if a pattern of the collection names one */
            url: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            /** @description Name of the crawler that the user agent names; proves nothing */
            crawler: string | null;
            /** @description How the requester was verified; null: not at all */
            verified: ("token" | "signature" | "ip" | "dns" | "license") | null;
            /** @description The license that the rule matched */
            licenseId: string | null;
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            /** @description The quota of the license that decided; null without one */
            quota: components["schemas"]["QuotaStatus"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description false for dry runs and for checks by public keys */
            recorded: boolean;
            created: string;
            /**
             * @description Only of checks with a test key: recorded apart, and in no report
             * @enum {string}
             */
            mode?: "test";
            /** @description The address of the item; null for a denial, and for a page without an item */
            source: string | null;
            /** @description The URL that stands for all spellings of the file; absent where that is `url` */
            file?: string;
            /** @description The permission that the check requested */
            permission: string | null;
            purpose: string | null;
            /** @description null unless the requester was verified */
            context: {
                ip?: string;
                country?: string;
                userAgent?: string;
                /** @description The method of the original request */
                method?: string;
                /** @enum {unknown} */
                verified?: "token" | "signature" | "ip" | "dns" | "license";
                /** @description The crawler that the user agent names was proven */
                crawlerVerified?: boolean;
                attributes?: components["schemas"]["Attributes"];
            } | null;
            /** @description The license that the check vouched for, or that of its License token */
            license: {
                /** @description Of a License token: the check could use no other license */
                id?: string;
                type?: string;
                features?: string[];
                expiresAt?: string | null;
            } | null;
        };
        PartnerDecisionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["PartnerDecision"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A license, as its requester sees it */
        PartnerLicense: {
            id: string;
            /** @enum {string} */
            object: "license";
            type: string;
            features: string[];
            /** @description The items that it covers; null: all */
            scope: components["schemas"]["PartnerLicenseScope"] | null;
            startsAt: string | null;
            expiresAt: string | null;
            /** @enum {unknown} */
            status: "active" | "suspended" | "revoked";
            /** @description Whether the license is active, started and not expired now */
            valid: boolean;
            terms: components["schemas"]["LicenseTerms"] | null;
            /** @description When these terms take effect */
            termsEffectiveAt: string | null;
            /** @description In `GET /v1/me`, of a valid license. null: the license has none */
            quota?: components["schemas"]["QuotaStatus"] | null;
            created: string;
            updated: string;
        };
        PartnerLicenseList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["PartnerLicense"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        PartnerLicenseScope: {
            contentIds?: string[];
            contentTypes?: string[];
            tags?: string[];
            /** @description Decisions say which collection they belong to */
            collectionIds?: string[];
            /**
             * @description The publisher covers only a part of that: ask for the items in question
             * @enum {boolean}
             */
            isNarrower?: true;
        };
        PartnerLimit: {
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            decisionId: string;
            at: string;
        };
        PartnerRemedy: {
            /** @enum {string} */
            kind: "license";
            /** @description Any of these; null: any type */
            licenseType: string[] | null;
            /** @description All of these */
            licenseFeatures: string[];
            /** @description Offers of such licenses; each would have turned the denial */
            offers?: components["schemas"]["Offered"][];
        } | {
            /** @enum {string} */
            kind: "permission";
            permissions: string[];
        } | {
            /** @enum {string} */
            kind: "verification";
            /** @description Ways to prove your name, any of which would do */
            verified: ("token" | "signature" | "ip" | "dns" | "license")[];
        } | {
            /** @enum {string} */
            kind: "wait";
            until: string;
        } | {
            /** @enum {string} */
            kind: "amend";
            /** @description The license whose terms include no more units */
            licenseId: string;
        };
        PartnerStatementList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Statement"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        PartnerUsage: {
            /** @enum {string} */
            object: "usage_report";
            summary: {
                /** @description Decisions recorded in the period. */
                totalRequests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
                /** @description Distinct requesters; anonymous checks do not count. */
                uniqueRequesters: number;
                /** @description Distinct items requested. */
                uniqueContent: number;
                /** @description Distinct pages requested: URLs without an item; queries and spellings of a file are one. */
                uniquePages: number;
                observed: {
                    /** @description Decisions that were only observed; no other number counts them. */
                    requests: number;
                    /** @description Those that the policy allowed. */
                    wouldAllow: number;
                    /** @description Those that the policy denied. */
                    wouldDeny: number;
                };
            };
            /** @description The preceding period; only with `compare=previous`. Whole days are preceded by as many days. null: nothing precedes `all`. */
            previous?: {
                /**
                 * Format: date-time
                 * @description Inclusive.
                 */
                startDate: string;
                /**
                 * Format: date-time
                 * @description Exclusive: the start of the period.
                 */
                endDate: string;
                summary: {
                    /** @description Decisions recorded in the period. */
                    totalRequests: number;
                    /** @description Allowed decisions. */
                    allowed: number;
                    /** @description Denied decisions. */
                    denied: number;
                    /** @description Distinct requesters; anonymous checks do not count. */
                    uniqueRequesters: number;
                    /** @description Distinct items requested. */
                    uniqueContent: number;
                    /** @description Distinct pages requested: URLs without an item; queries and spellings of a file are one. */
                    uniquePages: number;
                    observed: {
                        /** @description Decisions that were only observed; no other number counts them. */
                        requests: number;
                        /** @description Those that the policy allowed. */
                        wouldAllow: number;
                        /** @description Those that the policy denied. */
                        wouldDeny: number;
                    };
                };
            } | null;
            /** @description Every bucket of the period in order, including empty ones. */
            timeSeries: {
                /** @description The bucket: its day, the Monday of its week, the first of its month, or the start of its hour. */
                date: string;
                /** @description Decisions in the bucket. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            /** @description The pages without an item that were requested most, then by their address. */
            topPages: {
                /** @description Host and path, without a query. */
                page: string;
                /** @description Decisions on it. */
                requests: number;
                /** @description Its requests in each bucket of `timeSeries`; only with `expand=trends`. */
                trend?: number[];
            }[];
            /** @description The reasons that occurred, most frequent first. */
            byDenialReason: {
                reason: components["schemas"]["DenialReason"];
                /** @description Denials for this reason. */
                count: number;
            }[];
            /** @description The crawlers that user agents named most, then by name. A name proves nothing. */
            byCrawler: {
                /** @description Its name in the crawler directory. */
                crawler: string;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
                /** @description Requests that were verified. */
                verified: number;
                /** @description Requests whose visitor claimed a name falsely. */
                spoofed: number;
            }[];
            /** @description The collections with the most decisions, then by id. */
            byCollection: {
                collectionId: string;
                /** @description null: the collection is deleted. */
                name: string | null;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            /** @description The most frequent first; only if `groupBy` names what to count by. */
            groups?: {
                /** @description The collection, crawler, page, program, kind of verification, license, purpose, permission or policy, or whether it was enforced. null: none. */
                id: string | null;
                /** @description The name of a collection. null: deleted, or no collection. */
                name?: string | null;
                /** @description Only with `groupBy=rule`. */
                policyVersion?: number;
                /** @description In the rules of that version; null: the default action. Only with `groupBy=rule`. */
                ruleIndex?: number | null;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            period: {
                /**
                 * Format: date-time
                 * @description Start of the report, inclusive.
                 */
                startDate: string;
                /**
                 * Format: date-time
                 * @description End of the report, exclusive.
                 */
                endDate: string;
                /** @enum {unknown} */
                groupBy: "hour" | "day" | "week" | "month";
                timezone: string;
            };
            /** @description The items with the most requests, then by id. */
            topContent: {
                id: string;
                /** @description Decisions on it. */
                requests: number;
                /** @description Its requests in each bucket of `timeSeries`; only with `expand=trends`. */
                trend?: number[];
            }[];
        };
        /** @description A policy */
        Policy: {
            id: string;
            /** @enum {string} */
            object: "policy";
            name: string;
            description: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            version: number;
            isDefault: boolean;
            created: string;
            updated: string;
        };
        /** @description Rules that are tried beside a policy, and warnings about them */
        PolicyCandidate: {
            /** @description Id of the policy */
            id: string;
            /** @enum {string} */
            object: "policy_candidate";
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            /** @description When these rules became the candidate */
            since: string;
            /** @description Id of the key or user that set it */
            setBy: string | null;
            /** @description Rules that are valid but probably wrong */
            warnings: components["schemas"]["LintWarning"][];
        };
        PolicyCandidateDeleted: {
            id: string;
            /** @enum {string} */
            object: "policy_candidate";
            /** @enum {boolean} */
            deleted: true;
        };
        /** @description A candidate, and how its decisions differ from those of its policy; most divergences first */
        PolicyCandidateFigures: {
            /** @description Id of the policy */
            id: string;
            /** @enum {string} */
            object: "policy_candidate";
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            /** @description When these rules became the candidate */
            since: string;
            /** @description Id of the key or user that set it */
            setBy: string | null;
            /** @description Recorded decisions of the policy since then */
            decisions: number;
            /** @description Both allowed or both denied; rate limits are left out */
            agreements: number;
            /** @description Allowed by the policy, denied by the candidate */
            newlyDenied: number;
            /** @description Denied by the policy, allowed by the candidate */
            newlyAllowed: number;
            byRequester: {
                id: string | null;
                name: string | null;
                /** @description Allowed by the policy, denied by the candidate */
                newlyDenied: number;
                /** @description Denied by the policy, allowed by the candidate */
                newlyAllowed: number;
            }[];
            /** @description The same, and anonymous checks by crawler or program */
            byWho: {
                who: components["schemas"]["Who"];
                /** @description Allowed by the policy, denied by the candidate */
                newlyDenied: number;
                /** @description Denied by the policy, allowed by the candidate */
                newlyAllowed: number;
            }[];
            byCrawler: {
                crawler: string | null;
                /** @description Allowed by the policy, denied by the candidate */
                newlyDenied: number;
                /** @description Denied by the policy, allowed by the candidate */
                newlyAllowed: number;
            }[];
            byContent: {
                id: string | null;
                externalId: string | null;
                title: string | null;
                url: string | null;
                /** @description Allowed by the policy, denied by the candidate */
                newlyDenied: number;
                /** @description Denied by the policy, allowed by the candidate */
                newlyAllowed: number;
            }[];
            byReason: {
                /** @description null when allowed */
                from: components["schemas"]["DenialReason"] | null;
                /** @description null when allowed */
                to: components["schemas"]["DenialReason"] | null;
                /** @description Divergences with this reason of the policy and of the candidate */
                count: number;
            }[];
        };
        PolicyDeleted: {
            id: string;
            /** @enum {string} */
            object: "policy";
            /** @enum {boolean} */
            deleted: true;
        };
        /** @description The differences between two versions */
        PolicyDiff: {
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
                /** @description Index in `from`; null for an added rule */
                from: number | null;
                /** @description Index in `to`; null for a removed rule */
                to: number | null;
                rule?: components["schemas"]["Rule"];
                fields?: {
                    path: string;
                    from?: unknown;
                    to?: unknown;
                }[];
            }[];
        };
        /** @description How these rules would have decided the recorded checks */
        PolicyImpact: {
            /** @enum {string} */
            object: "policy_impact";
            policyId: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description The sum of the counts below and `unknown.decisions` */
            decisions: number;
            unchanged: number;
            allowToDeny: number;
            denyToAllow: number;
            /** @description Allowed as before, with other permissions */
            otherPermissions: number;
            /** @description Denied as before, for another reason */
            otherReason: number;
            /** @description Denied by a rate limit; allowed by these rules if their limit admits it. Limits are not replayed. */
            limited: number;
            byRequester: {
                id: string | null;
                name: string | null;
                allowToDeny: number;
                denyToAllow: number;
            }[];
            /** @description The same, and anonymous checks by crawler or program. Beyond 20,000 of them, rare programs are counted as `other`; one that asks again later is counted anew, so its own number may be too low. The sum is exact */
            byWho: {
                who: components["schemas"]["Who"];
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
            byCollection: {
                id: string;
                name: string | null;
                allowToDeny: number;
                denyToAllow: number;
            }[];
            byReason: {
                /** @description null when allowed */
                from: components["schemas"]["DenialReason"] | null;
                /** @description null when allowed */
                to: components["schemas"]["DenialReason"] | null;
                count: number;
            }[];
            examples: {
                decisionId: string;
                /** Format: date-time */
                created: string;
                contentId: string | null;
                url: string | null;
                requesterId: string | null;
                who: components["schemas"]["Who"];
                before: {
                    allowed: boolean;
                    /** @description null when allowed */
                    reason: components["schemas"]["DenialReason"] | null;
                };
                after: {
                    allowed: boolean;
                    /** @description null when allowed */
                    reason: components["schemas"]["DenialReason"] | null;
                    matchedRule: components["schemas"]["MatchedRule"] | null;
                };
            }[];
            unknown: {
                decisions: number;
                causes: {
                    /** @enum {unknown} */
                    cause: "item_edited" | "requester_history" | "inputs_reduced" | "not_reproduced";
                    count: number;
                }[];
            };
        };
        PolicyLint: {
            /** @enum {string} */
            object: "policy_lint";
            /** @description Rules that are valid but probably wrong */
            warnings: components["schemas"]["LintWarning"][];
        };
        PolicyList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Policy"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A policy to start from, and the cases it decides */
        PolicyTemplate: {
            id: string;
            /** @enum {string} */
            object: "policy_template";
            name: string;
            description: string;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            cases: {
                name: string;
                /** @description A check, with the item and the requester it is about */
                check: Record<string, never>;
                expect: {
                    allowed: boolean;
                    reason?: string | null;
                    permissions?: string[];
                    rule?: number | null;
                };
            }[];
        };
        PolicyTemplateList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["PolicyTemplate"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A policy as it was in one version */
        PolicyVersion: {
            /** @description Id of the policy */
            id: string;
            /** @enum {string} */
            object: "policy_version";
            version: number;
            name: string;
            description: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            created: string;
            updated: string;
        };
        PolicyVersionList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["PolicyVersion"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A policy, and warnings about its rules */
        PolicyWithWarnings: {
            id: string;
            /** @enum {string} */
            object: "policy";
            name: string;
            description: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction: "allow" | "deny";
            version: number;
            isDefault: boolean;
            created: string;
            updated: string;
            /** @description Rules that are valid but probably wrong */
            warnings: components["schemas"]["LintWarning"][];
        };
        PreviewImpact: {
            policy?: components["schemas"]["UnstoredPolicy"];
            /** @description A stored version of the policy, instead of `policy` */
            version?: number;
            /**
             * Format: date-time
             * @description Inclusive; 30 days before `to` by default
             */
            from?: string;
            /**
             * Format: date-time
             * @description Exclusive; now by default
             */
            to?: string;
            /** @description 5 by default */
            examples?: number;
        };
        Problem: {
            /** @description Path of the field; null for the whole body */
            param: string | null;
            message: string;
        };
        /** @description The request of a probe, as its proxy passed it on */
        ProxyArrival: {
            /** @description The visitor's method, as the proxy names it; null without a header for it */
            method: string | null;
            /** @description The visitor's URL without the mark; null for one that cannot be read */
            url: string | null;
            /** @description The visitor's address, or the start of what the proxy sent instead; null without `X-Forwarded-For` and `Forwarded` */
            address: string | null;
            /** @description `Signature` */
            signature: string | null;
            /** @description `Signature-Input` */
            signatureInput: string | null;
            /** @description `Signature-Agent` */
            signatureAgent: string | null;
            /** @description `User-Agent` */
            userAgent: string | null;
            /** @description `Authorization` */
            authorization: string | null;
        };
        /** @description Finds out what a proxy passes on of a request */
        ProxyProbe: {
            id: string;
            /** @enum {string} */
            object: "proxy_probe";
            /** @description Text to add to the query of a URL of the site */
            mark: string;
            /** @description The `proof` for `/.well-known/postern?proof=…`, where an adapter at the edge says how it is set up. It counts for the host and for five minutes, and for adapters with the key of this request; all keys count if it holds `api_keys:manage`. null without `host`, and when the probe is read */
            adapterProof: string | null;
            expires: string;
            arrived: components["schemas"]["ProxyArrival"] | null;
            created: string;
            updated: string;
        };
        PublishedAnswer: {
            allowed: boolean;
            /** @description Why it is denied */
            reason: string | null;
            /** @description The index of the rule that decided; null: the default action */
            rule: number | null;
            /** @description Why some visitors get a less restrictive answer than the one that is published */
            varies: ("time" | "country" | "address" | "verification" | "license" | "limit" | "purpose" | "name")[];
        };
        PurposeCount: {
            purpose: string | null;
            decisions: number;
        };
        /** @description With a price, a `contact` or a `url`. A field that is left out has its default. */
        PutOffer: {
            /** @description The features that such a license has; rules may ask for them */
            features?: string[];
            /**
             * @description What the price buys: one access, a month or a year
             * @enum {unknown}
             */
            unit?: "decision" | "month" | "year";
            /** @description Price of a unit, in 1/1,000,000 of the currency; null: on request */
            unitPriceMicros?: number | null;
            /** @description An ISO 4217 code */
            currency?: string | null;
            /** @description The email address to write to */
            contact?: string | null;
            /** @description The page about this license */
            url?: string | null;
            /** @description The first time at which the offer is no longer shown; null: no end */
            validUntil?: string | null;
            x402?: components["schemas"]["OfferX402"] | null;
        };
        PutPolicyCandidate: {
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction?: "allow" | "deny";
        };
        /** @description Fields that are absent get their first values */
        PutSite: {
            signals?: {
                /** @description Everybody may read the signals, without a key */
                public?: boolean;
                /**
                 * @description `augment`: groups of Postern follow `robotsBase`
                 * @enum {unknown}
                 */
                robots?: "off" | "augment" | "replace";
                /** @description The site’s own robots.txt */
                robotsBase?: string | null;
                /** @description Publish license.xml (RSL), and name it in robots.txt */
                license?: boolean;
                /** @description Name the license server in license.xml: then crawlers need its License tokens */
                licenseServer?: boolean;
                /** @description Publish tdmrep.json and its policies (TDMRep) */
                tdmrep?: boolean;
                /** @description Write `Content-Signal` into robots.txt */
                contentSignal?: boolean;
                /** @description Publish `Content-Usage` (AIPREF, a draft) */
                contentUsage?: boolean;
                /** @description Answer `/v1/authorize` with a `Link` to the license */
                link?: boolean;
            };
            /** @description The address for licenses: an email address or a URL */
            contact?: string | null;
            /** @description The page about licenses */
            licensingUrl?: string | null;
            /** @description The purposes of checks that belong to each use; absent: those of the documentation */
            purposes?: {
                training?: string[];
                input?: string[];
                index?: string[];
                search?: string[];
            };
            /** @description URLs of the site’s sitemaps: no visitor is refused them */
            sitemaps?: string[];
            urls?: {
                /**
                 * @description `ignored`: `/A` and `/a` are one file
                 * @enum {unknown}
                 */
                case?: "sensitive" | "ignored";
                /**
                 * @description `ignored`: `/a` and `/a/` are one file
                 * @enum {unknown}
                 */
                finalSlash?: "significant" | "ignored";
                /** @description Names of the file that a folder serves: `/a/` and `/a/index.html` are one file */
                index?: string[];
            };
        };
        QuotaStatus: {
            /** @description Units included per period */
            units: number;
            /** @description Units used in the period */
            used: number;
            /** @description Units left in the period */
            remaining: number;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year" | "term";
            /** @description When units are available again; null: never */
            resetAt: string | null;
        };
        RateLimit: {
            requests: number;
            /** @enum {unknown} */
            period: "second" | "minute" | "hour" | "day" | "week" | "month";
            /** @enum {unknown} */
            scope?: "requester" | "content" | "collection" | "global";
        };
        RateLimitStatus: {
            limit: number;
            /** @description Admissions left in the period */
            remaining: number;
            /** @enum {unknown} */
            period: "second" | "minute" | "hour" | "day" | "week" | "month";
            /** @description When more admissions will be available */
            resetAt: string;
            /** @description Seconds until `resetAt`; only on a denial */
            retryAfter?: number;
        };
        /** @description Something that the requester may have now */
        Reach: {
            /** @enum {string} */
            object: "reach";
            /** @description null: pages of the collection that are no items */
            contentId: string | null;
            /** @description null without an item */
            externalId: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            /** @description The title of the item, or the name of the collection */
            title: string;
            /** @description null without an item */
            type: components["schemas"]["ContentType"] | null;
            /** @description null without an item */
            source: string | null;
            policyId: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description The license that the rule matched */
            licenseId: string | null;
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description Conditions on facts that were not given, with which this answer could be another one */
            dependsOn: string[];
        };
        ReachAssumption: {
            /** @description A condition that rules have here */
            condition: string;
            /**
             * @description `unknown`: a condition on it does not hold, and a `…Not` holds in deny rules alone; `unverified`: the requester is taken as not verified; `now`: the time of the answer
             * @enum {unknown}
             */
            taken: "unknown" | "unverified" | "now";
        };
        ReachList: {
            /** @enum {string} */
            object: "list";
            /** @description May be fewer than `limit` while there are more */
            data: components["schemas"]["Reach"][];
            hasMore: boolean;
            /** @description Not counted */
            totalCount: null;
            nextCursor: string | null;
            requesterId: string;
            /** @description false: it was decided as a stranger with this id */
            registered: boolean;
            /** @description The facts that were not given and that rules ask for, and how they were taken */
            assumptions: components["schemas"]["ReachAssumption"][];
        };
        /** @description A requester that may have it now */
        Reader: {
            /** @enum {string} */
            object: "reader";
            requesterId: string;
            /** @description null: not registered; a rule names its id */
            name: string | null;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description The license that the rule matched */
            licenseId: string | null;
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description Conditions on facts that were not given, with which this answer could be another one */
            dependsOn: string[];
        };
        ReaderList: {
            /** @enum {string} */
            object: "list";
            /** @description May be fewer than `limit` while there are more */
            data: components["schemas"]["Reader"][];
            hasMore: boolean;
            /** @description Not counted */
            totalCount: null;
            nextCursor: string | null;
            /** @description null: the answer is about pages of the collection that are no items */
            contentId: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            policyId: string;
            anonymous: components["schemas"]["AnonymousReader"];
            /** @description The facts that were not given and that rules ask for, and how they were taken */
            assumptions: components["schemas"]["ReachAssumption"][];
        };
        ReconciledRow: {
            date: string | null;
            /** @description null for a deleted item, too */
            contentId: string | null;
            url: string | null;
            purpose: string | null;
            ours: number;
            theirs: number;
        };
        /** @description A statement compared with a partner's counts */
        Reconciliation: {
            /** @enum {string} */
            object: "reconciliation";
            statementId: string;
            /** @description The columns that were compared */
            by: ("date" | "content" | "purpose")[];
            /** @description Decisions that both counted */
            agreed: {
                rows: number;
                decisions: number;
            };
            /** @description Decisions that only the statement counts */
            onlyOurs: {
                rows: number;
                decisions: number;
            };
            /** @description Decisions that only the partner counts */
            onlyTheirs: {
                rows: number;
                decisions: number;
            };
            /** @description Rows with different counts */
            differing: number;
            /** @description The first 1000 of these rows, the greatest difference first */
            rows: components["schemas"]["ReconciledRow"][];
        };
        RegisterCrawlers: {
            /** @description Names of crawlers of the directory, case-insensitive */
            names?: string[];
            /** @description All crawlers with one of these purposes */
            purposes?: components["schemas"]["CrawlerPurpose"][];
        };
        Remedy: {
            /** @enum {string} */
            kind: "license";
            /** @description Any of these; null: any type */
            licenseType: string[] | null;
            /** @description All of these */
            licenseFeatures: string[];
            /** @description When the license must end, as in the rule's condition */
            licenseExpiry?: {
                after?: string;
                before?: string;
            };
            /** @description Index in the stored `rules` of the rule that requires the license */
            rule: number;
            /** @description Offers of such licenses; each would have turned the denial */
            offers?: components["schemas"]["Offered"][];
        } | {
            /** @enum {string} */
            kind: "permission";
            permissions: string[];
        } | {
            /** @enum {string} */
            kind: "verification";
            /** @description Ways to prove its name, any of which would do: a token, a signature, or a request from its published addresses (`ip`) or host names (`dns`) */
            verified: ("token" | "signature" | "ip" | "dns" | "license")[];
        } | {
            /** @enum {string} */
            kind: "wait";
            until: string;
        } | {
            /** @enum {string} */
            kind: "amend";
            /** @description The license whose terms include no more units */
            licenseId: string;
        };
        /** @description A requester */
        Requester: {
            id: string;
            /** @enum {string} */
            object: "requester";
            /** Format: plain-text */
            name: string;
            type: string | null;
            tags: string[];
            /** @description Tokens of its user agent, case-insensitive, by which `/v1/authorize` recognizes it */
            userAgents: string[];
            /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
            identities: components["schemas"]["Identity"][];
            /** @description The person to write to */
            contactName: string | null;
            /** @description The email address to write to */
            email: string | null;
            /** @description Where bills go, in lines */
            billingAddress: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            status: "active" | "suspended";
            created: string;
            updated: string;
        };
        /** @description CSV with a row of names: `id`, `name`, `type`, `tags` and `userAgents` (separated by `|`), `contactName`, `email`, `billingAddress`; an `id` or a `name` is required. An empty cell keeps what is stored. At most 1,000 rows */
        RequesterCsv: string;
        RequesterDeleted: {
            id: string;
            /** @enum {string} */
            object: "requester";
            /** @enum {boolean} */
            deleted: true;
        };
        RequesterList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Requester"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A token by which a requester proves who it is */
        RequesterToken: {
            id: string;
            /** @enum {string} */
            object: "requester_token";
            requesterId: string;
            name: string;
            /** @description The first 12 characters of the token */
            prefix: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            created: string;
            updated: string;
            /** @description The token itself; shown only once, in this answer */
            token?: string;
        };
        RequesterTokenList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["RequesterToken"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        RequesterTokenRevoked: {
            id: string;
            /** @enum {string} */
            object: "requester_token";
            /** @enum {boolean} */
            revoked: true;
        };
        RequestersImported: {
            /** @enum {string} */
            object: "requester_import";
            dryRun: boolean;
            created: number;
            updated: number;
            unchanged: number;
            /** @description In the order of the file */
            requesters: {
                /** @description The line of the file, from 1 */
                line: number;
                /** @description null: a dry run generates no id */
                id: string | null;
                name: string;
                /** @enum {unknown} */
                outcome: "created" | "updated" | "unchanged";
                /** @description The fields of a registered requester that change */
                changed: string[];
            }[];
        };
        ResourceSearch: {
            subject: components["schemas"]["EvaluationSubject"];
            action: components["schemas"]["EvaluationAction"];
            resource: components["schemas"]["SearchedResource"];
            context?: components["schemas"]["EvaluationContext"];
            page?: components["schemas"]["SearchPage"];
        } & {
            [key: string]: unknown;
        };
        /** @enum {unknown} */
        Role: "viewer" | "licensing" | "editor" | "admin";
        /** @description The roles of people and what they may do */
        RoleTable: {
            /** @enum {string} */
            object: "role_table";
            roles: {
                name: components["schemas"]["Role"];
                description: string;
                permissions: components["schemas"]["KeyPermission"][];
                /** @description Its checks use up no limit and are not recorded */
                readOnly: boolean;
            }[];
        };
        RollbackPolicy: {
            version: number;
        };
        RotateApiKey: {
            /** @description Seconds for which the old key stays valid */
            graceSeconds?: number;
        };
        RotateRequesterToken: {
            /** @description Seconds for which the old token stays valid */
            graceSeconds?: number;
        };
        RotateSigningKeys: {
            /** @description A key may have leaked: the new one replaces all others now, and every License token ends */
            atOnce?: boolean;
        };
        /** @description With `url`: what your router ignores in paths, if that is more than the site says. Items, collections and rules are found by both; what either denies is denied. */
        RouterUrls: {
            /** @enum {string} */
            case?: "ignored";
            /** @enum {string} */
            finalSlash?: "ignored";
        };
        Rule: {
            /** @enum {unknown} */
            action: "allow" | "deny";
            priority?: number;
            conditions?: components["schemas"]["Conditions"];
            /** @description What an allow grants; `full_access` by default */
            permissions?: string[];
            rateLimit?: components["schemas"]["RateLimit"];
            message?: string;
        };
        /** @description A collection that also matches and is less specific */
        RunnerUpCollection: {
            id: string;
            name: string;
            policyId: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode: "enforce" | "observe";
            path: string | null;
            host: string | null;
            contentType: string | null;
            contentTag: string | null;
            /**
             * @description Why the other one is more specific: a longer path, a better host, more selectors, or its age
             * @enum {unknown}
             */
            lostBy: "path" | "host" | "selectors" | "age";
        };
        SearchPage: {
            /** @description `next_token` of the page before */
            token?: string;
            /** @description Results per page, 100 by default, at most 1,000 */
            limit?: number;
        } & {
            [key: string]: unknown;
        };
        SearchResult: {
            type: string;
            id: string;
        };
        SearchResults: {
            page: {
                /** @description Empty at the end */
                next_token: string;
                /** @description Results in this answer: may be fewer than `limit` before the end */
                count: number;
            };
            results: components["schemas"]["SearchResult"][];
        };
        /** @description `type` is `content` for all, or a type or tag of items */
        SearchedResource: {
            type: string;
            /** @description Texts, numbers and booleans are attributes that rules can read; other values are ignored */
            properties?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description `type` is `requester` for all, or a type or tag of requesters */
        SearchedSubject: {
            type: string;
            /** @description Texts, numbers and booleans are attributes that rules can read; other values are ignored */
            properties?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        SeenRequester: {
            /** @description The id that the checks named. */
            id: string;
            /** @description The name of the registered requester, else the id. */
            name: string;
            registered: boolean;
            /** @description null if unregistered. Like `type` and `tags`, only for keys with `policies:read`. */
            status: ("active" | "suspended") | null;
            /** @description null if unregistered or without a type. */
            type: string | null;
            tags: string[];
            /** @description Recorded decisions in the span. */
            requests: number;
            /** @description Allowed decisions. */
            allowed: number;
            /** @description Denied decisions. */
            denied: number;
            /** @description Decisions for a verified requester. */
            verified: number;
            lastSeen: string | null;
        };
        SeenRequesterList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["SeenRequester"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description A link that signs one person in, once */
        SignInLink: {
            /** @enum {string} */
            object: "sign_in_link";
            /** @description To be opened in a browser, after the address of the service; shown only once */
            path: string;
            user: components["schemas"]["User"];
            expiresAt: string;
        };
        SignalDifference: {
            /** @description A path pattern, or what a line or header is about; null: the whole file */
            about: string | null;
            /** @description The first of the crawlers that read it; `*` for everybody else; empty: every reader */
            crawlers: string[];
            crawlerCount: number;
            /** @description What the file should say; null: nothing */
            intended: string | null;
            /** @description What it says; null: nothing */
            live: string | null;
            /**
             * @description `opens`: the live file permits more than intended; `closes`: less; `other`: neither can be said
             * @enum {unknown}
             */
            effect: "opens" | "closes" | "other";
            message: string;
        };
        /** @description Something that a format cannot say; what is published is more restrictive */
        SignalLimit: {
            /** @description The signal; null: all of them */
            kind: string | null;
            about: string[];
            message: string;
        };
        SignalStatement: {
            /** @description The first statement whose pattern matches a URL holds for it */
            pattern: string;
            /** @description Free for everybody: no policy is asked */
            free: boolean;
            collectionId: string | null;
            contentId: string | null;
            policyId: string | null;
            policyVersion: number;
            /** @description The collection only observes: what is said is not enforced */
            observed: boolean;
            answers: {
                /** @description The first of them; `*` for everybody else */
                crawlers: string[];
                crawlerCount: number;
                access: components["schemas"]["PublishedAnswer"];
                uses: {
                    training: components["schemas"]["PublishedAnswer"];
                    input: components["schemas"]["PublishedAnswer"];
                    index: components["schemas"]["PublishedAnswer"];
                    search: components["schemas"]["PublishedAnswer"];
                };
            }[];
        };
        /** @description The live files of a site, compared with the intended ones by meaning */
        SignalsDrift: {
            /** @enum {string} */
            object: "signals_drift";
            host: string;
            /**
             * @description `unreachable`: a file could not be fetched, and no other differs; `unchecked`: not looked at yet
             * @enum {unknown}
             */
            state: "same" | "drifted" | "unreachable" | "unchecked";
            /** @description When the site was looked at last */
            checked: string | null;
            /** @description Since when it differs in this way */
            since: string | null;
            files: components["schemas"]["CheckedSignal"][];
        };
        SignalsReport: {
            /** @enum {string} */
            object: "signals_report";
            host: string;
            statements: components["schemas"]["SignalStatement"][];
            hasMore: boolean;
            /** @description Statements */
            totalCount: number;
            nextCursor: string | null;
            cannotExpress: components["schemas"]["SignalLimit"][];
            /** @description Statements of robots.txt and tdmrep.json, read back, that the policies contradict; there must be none */
            contradictions: {
                pattern: string;
                crawler: string;
                message: string;
            }[];
            /** @description Lines of the site’s own robots.txt that allow what a policy denies: `Allow`, `Content-Signal` and `Content-Usage`. They stay; the first 100 */
            baseContradicts: {
                /** @description The line of `robotsBase`, from 1 */
                line: number;
                /** @description What the line says */
                statement: string;
                /** @description The first crawler that reads it; `*` for everybody else */
                crawler: string;
                /** @description Where a policy denies that */
                pattern: string;
                message: string;
            }[];
        };
        SigningKeys: {
            /** @enum {string} */
            object: "signing_keys";
            /** @description The keys that verify now; only their public part is ever shown, by `/olp/key` */
            keys: {
                kid: string;
                created: string;
                /** @description It signs from then on, until the next one does */
                signsFrom: string;
            }[];
        };
        /** @description A decision by the rules sent; `recorded` is false and rate limits are unused */
        SimulatedDecision: {
            /** @description null when the decision was not recorded */
            id: string | null;
            /** @enum {string} */
            object: "access_decision";
            allowed: boolean;
            /** @enum {unknown} */
            action: "allow" | "deny";
            /** @description null when allowed */
            reason: components["schemas"]["DenialReason"] | null;
            message: string;
            /** @description What an allow grants; empty on a denial */
            permissions: string[];
            /** @description null: no item is registered at the URL */
            contentId: string | null;
            externalId: string | null;
            /** @description Host and path that the check asked for; the query only if a pattern of the collection names one */
            url: string | null;
            /** @description The most specific collection */
            collectionId: string | null;
            /** @description null for an anonymous check, and in the log for public keys */
            requesterId: string | null;
            /** @description Name of the crawler that the user agent names; proves nothing */
            crawler: string | null;
            /** @description How the requester was verified; null: not at all */
            verified: ("token" | "signature" | "ip" | "dns" | "license") | null;
            /**
             * @description The visitor falsely claimed to be `claimed`
             * @enum {boolean}
             */
            spoofed?: true;
            /** @description The requester or crawler that was claimed */
            claimed?: string;
            policyId: null;
            policyVersion: null;
            /** @description null when the default action decided */
            matchedRule: components["schemas"]["MatchedRule"] | null;
            /** @description The license that the rule matched */
            licenseId: string | null;
            rateLimit: components["schemas"]["RateLimitStatus"] | null;
            /** @description The quota of the license that decided; null without one */
            quota: components["schemas"]["QuotaStatus"] | null;
            /** @description false: the collection only observes, so let the request pass; `allowed` is what the policy says */
            enforced: boolean;
            /** @description false for dry runs and for checks by public keys */
            recorded: boolean;
            created: string;
            /**
             * @description Only of checks with a test key: recorded apart, and in no report
             * @enum {string}
             */
            mode?: "test";
            /** @description Seconds for which the caller may reuse this decision; absent: not at all */
            maxAge?: number;
            /** @description With `explain`: every rule in evaluation order. null for keys without `policies:read`; fields of the item are withheld from keys without `content:read`. */
            explanation?: unknown;
            /** @description With `explain`: what would have turned the denial into an allow */
            remedies?: components["schemas"]["Remedy"][];
            signals?: components["schemas"]["PageSignals"];
        };
        SimulatedDecisionList: {
            /** @enum {string} */
            object: "list";
            data: (components["schemas"]["SimulatedDecision"] | components["schemas"]["CheckError"])[];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        Simulation: {
            policy: components["schemas"]["UnstoredPolicy"];
            /** @description As for `/v1/access/check`; `asOf` needs no `dryRun` here */
            checks: components["schemas"]["Check"][];
        };
        /** @description A host whose policies are published as signals */
        Site: {
            /** @description The host */
            id: string;
            /** @enum {string} */
            object: "site";
            host: string;
            signals: components["schemas"]["SiteSignals"];
            /** @description The address for licenses: an email address or a URL */
            contact: string | null;
            /** @description The page about licenses */
            licensingUrl: string | null;
            /** @description The purposes of checks that belong to each use; absent: those of the documentation */
            purposes: {
                training?: string[];
                input?: string[];
                index?: string[];
                search?: string[];
            };
            /** @description URLs of the site’s sitemaps: no visitor is refused them */
            sitemaps: string[];
            urls: components["schemas"]["SiteUrls"];
            version: number;
            created: string;
            updated: string;
            /** @description Items that become one file by this edit: checks of their URL are refused */
            warnings?: components["schemas"]["SiteWarning"][];
        };
        SiteList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Site"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        SiteSignals: {
            /** @description Everybody may read the signals, without a key */
            public: boolean;
            /**
             * @description `augment`: groups of Postern follow `robotsBase`
             * @enum {unknown}
             */
            robots: "off" | "augment" | "replace";
            /** @description The site’s own robots.txt */
            robotsBase: string | null;
            /** @description Publish license.xml (RSL), and name it in robots.txt */
            license: boolean;
            /** @description Name the license server in license.xml: then crawlers need its License tokens */
            licenseServer: boolean;
            /** @description Publish tdmrep.json and its policies (TDMRep) */
            tdmrep: boolean;
            /** @description Write `Content-Signal` into robots.txt */
            contentSignal: boolean;
            /** @description Publish `Content-Usage` (AIPREF, a draft) */
            contentUsage: boolean;
            /** @description Answer `/v1/authorize` with a `Link` to the license */
            link: boolean;
        };
        /** @description Which spellings of a URL lead to the same file */
        SiteUrls: {
            /**
             * @description `ignored`: `/A` and `/a` are one file
             * @enum {unknown}
             */
            case: "sensitive" | "ignored";
            /**
             * @description `ignored`: `/a` and `/a/` are one file
             * @enum {unknown}
             */
            finalSlash: "significant" | "ignored";
            /** @description Names of the file that a folder serves: `/a/` and `/a/index.html` are one file */
            index: string[];
        };
        /** @description Items that become one file */
        SiteWarning: {
            /** @enum {string} */
            code: "ambiguous_content";
            message: string;
            /** @enum {string} */
            param: "urls";
            /** @description The items of one file */
            contentIds: string[];
        };
        /** @description What a license used in a billing period, and what that costs */
        Statement: {
            id: string;
            /** @enum {string} */
            object: "statement";
            /**
             * @description `running`: its period has not ended; `open`: not final yet
             * @enum {unknown}
             */
            status: "running" | "open" | "final";
            licenseId: string;
            requesterId: string;
            requesterName: string | null;
            /** @description `2026-10`, `2026-Q4` or `2026` */
            period: string;
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive
             */
            to: string;
            termsVersion: number;
            terms: components["schemas"]["LicenseTerms"];
            /** @description A first or last period that is not whole, and what counts in it; null: a whole period */
            partialPeriod?: components["schemas"]["PartialPeriod"] | null;
            units: number;
            /** @description Decisions that the terms count */
            decisions: number;
            lines: components["schemas"]["StatementLine"][];
            total: components["schemas"]["Amount"];
            /** @description Decisions of the license for purposes that its terms do not count */
            uncounted: components["schemas"]["PurposeCount"][];
            finalizedAt: string | null;
            created: string;
            updated: string;
        };
        StatementLine: {
            /** @enum {unknown} */
            kind: "usage" | "true_up" | "flat" | "correction";
            /** @description `*`: all purposes beyond the first 100 */
            purpose: string | null;
            /** @description From 1 */
            tier: number | null;
            units: number | null;
            unitPriceMicros: number | null;
            decisions: number | null;
            firstDecisionId: string | null;
            lastDecisionId: string | null;
            sha256: string | null;
            /** @description Root of the tree of RFC 6962 over the sorted decision ids, in base64: receipts prove single decisions by it. Absent until the statement is final, and on those that became final before there were roots */
            root?: string;
            /** @description Decisions of the line whose items were deleted */
            deleted: components["schemas"]["HashedDecisions"] | null;
            /** @description The statement that a correction corrects */
            statementId: string | null;
            /** @description A decimal in the currency */
            amount: string;
            /** @description In 1/1,000,000 of the currency; null beyond 2^53 */
            amountMicros: number | null;
        };
        StatementList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Statement"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
            /** @description Allowed, enforced decisions of the period, by UTC or `timezone`, that are on no statement; null in a selection */
            outside: {
                from: string;
                to: string;
                /** @description Allowed without a stored license */
                noLicense: number;
                /** @description Allowed by a license without terms */
                noTerms: number;
                /** @description Decisions of the period, on statements or not, whose items were deleted since: usage has the others */
                deleted: number;
            } | null;
        };
        /** @description The state of this node */
        Status: {
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
                /** @description Size of the disk of the data folder, in bytes */
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
                /** @description Decisions that moved to ClickHouse, of all nodes */
                moved: number;
                /** @description Those of them that ClickHouse did not have, or had otherwise, at the last look */
                lost: number;
            };
            columns: {
                /** @description Host and database of ClickHouse, which all nodes share; null: a file in the data folder */
                place: string | null;
                /** @description Why reports cannot be answered now; null: they can */
                problem: string | null;
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
                /** @description Attempts in flight */
                inFlight: number;
            };
            /** @description What this node keeps of visitors, and for how long */
            privacy: {
                /** @description `full`, `none`, or the prefixes that are kept, such as `/24,/48` */
                ipPrecision: string;
                /**
                 * @description What is kept of user agents
                 * @enum {unknown}
                 */
                userAgent: "full" | "crawler-only" | "none";
                /** @description Days after which the inputs of decisions are erased; null: never */
                inputDays: number | null;
                /** @description Days after which decisions leave the log; null: never */
                decisionDays: number | null;
                /** @description Decisions are leaving the log now */
                retiring: boolean;
                erasures: {
                    /** @description Erasures of requesters that are not done */
                    running: number;
                    /** @description Decisions that the oldest of them has read, of `of` */
                    walked: number;
                    /** @description Decisions when it began */
                    of: number;
                };
            };
            /** @description The crawler directory in force */
            directory: {
                /** @description The day on which its rows were last looked at */
                date: string;
                /**
                 * @description Where it comes from: `package` is the directory of this version
                 * @enum {unknown}
                 */
                source: "package" | "file" | "url";
                /** @description When the last directory was taken from the file or the URL of the settings */
                taken: string | null;
                /** @description When they were last looked at */
                attempted: string | null;
                /** @description Failed attempts since the last that succeeded */
                failures: number;
                /** @description When the first of these was */
                failingSince: string | null;
                /** @description Why the last attempt failed */
                error: string | null;
            };
            /** @description What verifies visitors */
            visitors: {
                lists: {
                    /** @description Published lists of addresses that are named */
                    count: number;
                    /** @description Their states, those in trouble first; at most 100 */
                    data: components["schemas"]["IdentityList"][];
                };
                directories: {
                    /** @description Agents whose keys this node has or fetches */
                    count: number;
                    /** @description Their states, those in trouble first; at most 100 */
                    data: {
                        /** @description The URL of the agent */
                        agent: string;
                        /**
                         * @description `fresh`: its keys verify. `failing`: there are none, because no fetch succeeded
                         * @enum {unknown}
                         */
                        state: "fetching" | "fresh" | "stale" | "failing";
                        /** @description Keys that it publishes */
                        keys: number;
                        /** @description When they were last fetched */
                        fetched: string | null;
                        /** @description Failed fetches since the last that succeeded */
                        failures: number;
                        /** @description When the first of these was */
                        failingSince: string | null;
                        /** @description Why the last fetch failed */
                        error: string | null;
                    }[];
                };
                /** @description Since the start of this node */
                names: {
                    /** @description Host names of addresses that were looked up */
                    resolved: number;
                    /** @description Look-ups that failed */
                    failed: number;
                    /** @description Look-ups that were put off, because too many waited */
                    dropped: number;
                };
                /** @description Names that were falsely claimed within 24 hours, at most 20; null: still being counted */
                spoofed: {
                    /** @description The requester or the crawler */
                    claimed: string;
                    /** @description Checks of visitors that falsely claimed this name */
                    checks: number;
                    /** @description The first of these */
                    since: string;
                }[] | null;
            };
            /** @description The witnesses of the log of receipts */
            witnesses: {
                /** @description The name in its cosignatures */
                name: string;
                /** @description Where checkpoints are sent */
                url: string;
                size: number | null;
                /** @description When it cosigned that */
                cosigned: string | null;
                /** @description Entries of the newest checkpoint that it did not cosign */
                behind: number;
                /** @description It cosigned entries that this log does not have */
                forked: boolean;
                /** @description Why it did not cosign at the last attempt; null: it did */
                error: string | null;
                /** @description When the first of these failures was */
                failingSince: string | null;
            }[];
            /** @description This service as a witness of logs of others; null: it is none */
            witness: {
                /** @description The verifier key of the witness (C2SP signed-note) */
                key: string;
                /** @description The logs whose checkpoints it cosigns, at most 100 */
                logs: {
                    /** @description The name of the log */
                    origin: string;
                    size: number | null;
                    /** @description When that was */
                    cosigned: string | null;
                }[];
            } | null;
            /** @description Memory of the process, in bytes */
            memoryBytes: number;
        };
        SubjectSearch: {
            subject: components["schemas"]["SearchedSubject"];
            action: components["schemas"]["EvaluationAction"];
            resource: components["schemas"]["EvaluationResource"];
            context?: components["schemas"]["EvaluationContext"];
            page?: components["schemas"]["SearchPage"];
        } & {
            [key: string]: unknown;
        };
        /** @description A collection as it might be stored. Fields that are not given are those of the stored one */
        TriedCollection: {
            /** @description The collection that it replaces; without one, it is new */
            id?: string;
            /** Format: plain-text */
            name?: string;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts?: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths?: string[];
            contentTypes?: components["schemas"]["ContentType"][];
            contentTags?: string[];
            /** @description null: the default policy */
            policyId?: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode?: "enforce" | "observe";
        };
        TriedCollectionMatch: {
            /** @description The id of the tried collection in this answer */
            id: string;
            /** @description Its selectors of which no value matches; with none, it is the deciding one or a runner-up */
            unmatched: ("hosts" | "paths" | "contentTypes" | "contentTags")[];
        };
        /** @description What would decide about a URL if the collection were stored */
        TriedMatch: {
            /** @enum {string} */
            object: "collection_match";
            url: string;
            /**
             * @description What decides: an item, a collection, nothing, or several items of which none is chosen
             * @enum {unknown}
             */
            outcome: "item" | "collection" | "nothing" | "several_items";
            item: components["schemas"]["Content"] | null;
            collection: components["schemas"]["MatchedCollection"] | null;
            policyId: string | null;
            policySource: ("content" | "collection" | "default") | null;
            /** @description At most 5, the most specific first */
            runnersUp: components["schemas"]["RunnerUpCollection"][];
            /** @description What servers may read the URL as; the rest is about the first one. A check is allowed only if all are. Absent where there is one */
            readings?: components["schemas"]["UrlReading"][];
            tried: components["schemas"]["TriedCollectionMatch"];
        };
        TryCollection: {
            /** @description An absolute http or https URL */
            url: string;
            collection: components["schemas"]["TriedCollection"];
        };
        UnknownProgram: {
            /** @description The first product token of its user agents, in lowercase. */
            program: string;
            /** @description Recorded decisions in the span, without those on a requester. */
            requests: number;
            /** @description Allowed decisions. */
            allowed: number;
            /** @description Denied decisions. */
            denied: number;
            /** @description Pages and items. */
            pages: number;
            /** @description About how many addresses it used on the day with most of them. null: no address was kept. */
            addresses: number | null;
            /**
             * @description No address is kept for it; the number is an estimate.
             * @enum {boolean}
             */
            addressesApproximate: true;
            /**
             * Format: date-time
             * @description Time of the first decision in the span.
             */
            firstSeen: string;
            /**
             * Format: date-time
             * @description Time of the newest decision in the span.
             */
            lastSeen: string;
            /** @description It asked for a robots.txt, in the span or at another time. */
            robotsRead: boolean;
        };
        UnknownProgramList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["UnknownProgram"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        UnregisteredRequests: {
            /** @description null: more hosts in one hour than are counted apart. */
            host: string | null;
            /** @description The first segment of the path, such as `/news`; null: more in one hour than are counted apart. */
            path: string | null;
            /** @description The crawler that the user agent names. */
            crawler: string | null;
            /** @description null: anonymous, and for public keys. */
            requesterId: string | null;
            /** @description Requests in the span. */
            requests: number;
            /**
             * Format: date-time
             * @description Start of the first hour with such a request.
             */
            firstSeen: string;
            /**
             * Format: date-time
             * @description Start of the last hour with such a request.
             */
            lastSeen: string;
        };
        UnregisteredRequestsList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["UnregisteredRequests"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description Rules that need not be stored */
        UnstoredPolicy: {
            /** @description Ignored */
            name?: string;
            /** @description Ignored */
            description?: string | null;
            rules: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction?: "allow" | "deny";
        };
        UpdateCollection: {
            /** Format: plain-text */
            name?: string;
            description?: string | null;
            /** @description Such as `www.example.com` or `*.example.com` */
            hosts?: string[];
            /** @description Patterns as in RFC 9309: a prefix, `*`, `$` at the end */
            paths?: string[];
            contentTypes?: components["schemas"]["ContentType"][];
            contentTags?: string[];
            /** @description null: the default policy */
            policyId?: string | null;
            /**
             * @description `observe`: decisions are recorded and counted, and not enforced
             * @enum {unknown}
             */
            mode?: "enforce" | "observe";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            metadataReplace?: boolean;
        };
        UpdateContent: {
            title?: string;
            /** Format: http-url */
            source?: string;
            /** @enum {unknown} */
            status?: "active" | "archived";
            metadataReplace?: boolean;
            policyId?: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            tags?: string[];
        };
        UpdateLicense: {
            type?: string;
            features?: string[];
            scope?: components["schemas"]["LicenseScope"] | null;
            startsAt?: string | null;
            expiresAt?: string | null;
            /** @enum {unknown} */
            status?: "active" | "suspended";
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            terms?: components["schemas"]["LicenseTerms"] | null;
            metadataReplace?: boolean;
            /**
             * @description When new `terms` take effect: from the next period (the default), or from the start of the running one
             * @enum {unknown}
             */
            effective?: "now" | "next_period";
        };
        UpdatePolicy: {
            /** Format: plain-text */
            name?: string;
            description?: string | null;
            rules?: components["schemas"]["Rule"][];
            /** @enum {unknown} */
            defaultAction?: "allow" | "deny";
        };
        UpdateRequester: {
            /** Format: plain-text */
            name?: string;
            type?: string | null;
            tags?: string[];
            /** @description Tokens of its user agent, case-insensitive, by which `/v1/authorize` recognizes it */
            userAgents?: string[];
            /** @description How a visitor that uses its name is verified; at most 1000 ranges together */
            identities?: components["schemas"]["Identity"][];
            /** @description The person to write to */
            contactName?: string | null;
            /** @description The email address to write to */
            email?: string | null;
            /** @description Where bills go, in lines */
            billingAddress?: string | null;
            /** @description Any JSON object: 16 KiB, 5 levels */
            metadata?: {
                [key: string]: unknown;
            };
            /** @enum {unknown} */
            status?: "active" | "suspended";
            metadataReplace?: boolean;
        };
        UpdateWebhook: {
            /** Format: http-url */
            url?: string;
            /** @description Kinds of event, `content.*` for a group, `*` for all: content.created, content.updated, content.archived, content.restored, content.deleted, collection.created, collection.updated, collection.deleted, policy.created, policy.updated, policy.rolled_back, policy.deleted, policy.candidate_diverged, requester.created, requester.updated, requester.deleted, requester_token.created, requester_token.rotated, requester_token.revoked, requester.spoofed, denials.jumped, crawler.created, crawler.deleted, crawler.first_seen, identity.list_suspicious, license.created, license.updated, license.revoked, license.expired, license.expiring, site.created, site.updated, site.deleted, signals.drifted, license.requested, license_request.granted, license_request.declined, license.threshold_reached, license.quota_exceeded, offer.created, offer.updated, offer.deleted, statement.finalized, api_key.created, api_key.rotated, api_key.revoked, access.granted, access.denied, access.rate_limited */
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
        /** @description One way to read a URL, and what decides there */
        UrlReading: {
            /** @description Host, path and query */
            url: string;
            /** @enum {unknown} */
            outcome: "item" | "collection" | "nothing";
            id: string | null;
        };
        UsageReport: {
            /** @enum {string} */
            object: "usage_report";
            summary: {
                /** @description Decisions recorded in the period. */
                totalRequests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
                /** @description Distinct requesters; anonymous checks do not count. */
                uniqueRequesters: number;
                /** @description Distinct items requested. */
                uniqueContent: number;
                /** @description Distinct pages requested: URLs without an item; queries and spellings of a file are one. */
                uniquePages: number;
                observed: {
                    /** @description Decisions that were only observed; no other number counts them. */
                    requests: number;
                    /** @description Those that the policy allowed. */
                    wouldAllow: number;
                    /** @description Those that the policy denied. */
                    wouldDeny: number;
                };
            };
            /** @description The preceding period; only with `compare=previous`. Whole days are preceded by as many days. null: nothing precedes `all`. */
            previous?: {
                /**
                 * Format: date-time
                 * @description Inclusive.
                 */
                startDate: string;
                /**
                 * Format: date-time
                 * @description Exclusive: the start of the period.
                 */
                endDate: string;
                summary: {
                    /** @description Decisions recorded in the period. */
                    totalRequests: number;
                    /** @description Allowed decisions. */
                    allowed: number;
                    /** @description Denied decisions. */
                    denied: number;
                    /** @description Distinct requesters; anonymous checks do not count. */
                    uniqueRequesters: number;
                    /** @description Distinct items requested. */
                    uniqueContent: number;
                    /** @description Distinct pages requested: URLs without an item; queries and spellings of a file are one. */
                    uniquePages: number;
                    observed: {
                        /** @description Decisions that were only observed; no other number counts them. */
                        requests: number;
                        /** @description Those that the policy allowed. */
                        wouldAllow: number;
                        /** @description Those that the policy denied. */
                        wouldDeny: number;
                    };
                };
            } | null;
            /** @description Every bucket of the period in order, including empty ones. */
            timeSeries: {
                /** @description The bucket: its day, the Monday of its week, the first of its month, or the start of its hour. */
                date: string;
                /** @description Decisions in the bucket. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            /** @description The items requested most, then by id. */
            topContent: {
                id: string;
                title: string;
                /** @description Decisions on it. */
                requests: number;
                /** @description Its requests in each bucket of `timeSeries`; only with `expand=trends`. */
                trend?: number[];
            }[];
            /** @description The pages without an item that were requested most, then by their address. */
            topPages: {
                /** @description Host and path, without a query. */
                page: string;
                /** @description Decisions on it. */
                requests: number;
                /** @description Its requests in each bucket of `timeSeries`; only with `expand=trends`. */
                trend?: number[];
            }[];
            /** @description The requesters with the most checks, then by id. Empty for public keys. */
            topRequesters: {
                id: string;
                name: string;
                /** @description Decisions on its checks. */
                requests: number;
                /** @description Its requests in each bucket of `timeSeries`; only with `expand=trends`. */
                trend?: number[];
            }[];
            /** @description The reasons that occurred, most frequent first. */
            byDenialReason: {
                reason: components["schemas"]["DenialReason"];
                /** @description Denials for this reason. */
                count: number;
            }[];
            /** @description The crawlers that user agents named most, then by name. A name proves nothing. */
            byCrawler: {
                /** @description Its name in the crawler directory. */
                crawler: string;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
                /** @description Requests that were verified. */
                verified: number;
                /** @description Requests whose visitor claimed a name falsely. */
                spoofed: number;
            }[];
            /** @description The collections with the most decisions, then by id. */
            byCollection: {
                collectionId: string;
                /** @description null: the collection is deleted. */
                name: string | null;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            /** @description The most frequent first; only if `groupBy` names what to count by. */
            groups?: {
                /** @description The collection, crawler, page, program, kind of verification, license, purpose, permission or policy, or whether it was enforced. null: none. */
                id: string | null;
                /** @description The name of a collection. null: deleted, or no collection. */
                name?: string | null;
                /** @description Only with `groupBy=rule`. */
                policyVersion?: number;
                /** @description In the rules of that version; null: the default action. Only with `groupBy=rule`. */
                ruleIndex?: number | null;
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
            }[];
            period: {
                /**
                 * Format: date-time
                 * @description Start of the report, inclusive.
                 */
                startDate: string;
                /**
                 * Format: date-time
                 * @description End of the report, exclusive.
                 */
                endDate: string;
                /** @enum {unknown} */
                groupBy: "hour" | "day" | "week" | "month";
                timezone: string;
            };
        };
        /** @description A person who signs in to the console */
        User: {
            id: string;
            /** @enum {string} */
            object: "user";
            name: string;
            email: string | null;
            role: components["schemas"]["Role"] | null;
            /** @enum {unknown} */
            status: "active" | "suspended";
            issuer: string | null;
            lastSeen: string | null;
            created: string;
            updated: string;
        };
        UserDeleted: {
            id: string;
            /** @enum {string} */
            object: "user";
            /** @enum {boolean} */
            deleted: true;
        };
        UserList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["User"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        /** @description What the visitor sent to prove who it is: finds the requester as `/v1/authorize` does. Never stored. Signatures need its `url`. */
        Visitor: {
            /** @description Its `Authorization` header */
            authorization?: string;
            /** @description `GET` by default */
            method?: string;
            /**
             * Format: http-url
             * @description As it was requested; `url` by default
             */
            url?: string;
            /** @description The header of this name */
            signature?: string;
            /** @description The header of this name */
            signatureInput?: string;
            /** @description The header of this name */
            signatureAgent?: string;
        };
        VisitorsReport: {
            /** @enum {string} */
            object: "visitors_report";
            /** @description All visitors, also those that are not listed. */
            uniqueVisitors: number;
            /** @description All pages, also those that are not listed. */
            uniquePages: number;
            /** @description Dates of the buckets, as usage has them. */
            buckets: string[];
            /** @description Those with the most requests. */
            visitors: {
                who: components["schemas"]["Who"];
                /** @description Decisions. */
                requests: number;
                /** @description Allowed decisions. */
                allowed: number;
                /** @description Denied decisions. */
                denied: number;
                /** @description Requests that were verified. */
                verified: number;
                /** @description Requests whose visitor claimed a name falsely. */
                spoofed: number;
                /** @description Requests in each of `buckets`. */
                trend: number[];
                /** @description Its requests for the listed pages, most first; pages that it did not ask for are left out. */
                pages: components["schemas"]["PageVisits"][];
            }[];
            /** @description The pages without an item that were requested most. */
            pages: components["schemas"]["PageVisits"][];
            period: {
                /**
                 * Format: date-time
                 * @description Start of the report, inclusive.
                 */
                startDate: string;
                /**
                 * Format: date-time
                 * @description End of the report, exclusive.
                 */
                endDate: string;
                /** @enum {unknown} */
                groupBy: "hour" | "day" | "week" | "month";
                timezone: string;
            };
        };
        /** @description A webhook */
        Webhook: {
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
            /** @description Signs the deliveries; shown only on create and rotate */
            secret?: string;
        };
        WebhookDeleted: {
            id: string;
            /** @enum {string} */
            object: "webhook";
            /** @enum {boolean} */
            deleted: true;
        };
        WebhookList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Webhook"][];
            hasMore: boolean;
            totalCount: number;
            nextCursor: string | null;
        };
        Who: {
            /**
             * @description Without a requester, the crawler that the user agent names; without one, the program. `unknown`: the user agent was not kept.
             * @enum {unknown}
             */
            kind: "requester" | "crawler" | "program" | "browsers" | "no_user_agent" | "unknown";
            /** @description The id of the requester, or the name of the crawler or program; `other`: a program without a name of its own. */
            id: string | null;
            /** @description The name of a registered requester, else `id`. */
            name: string | null;
            /**
             * @description Only of crawlers: `verified`, `spoofed` where a name was claimed falsely, `none` where nothing proves it.
             * @enum {unknown}
             */
            proof?: "none" | "verified" | "spoofed";
        };
    };
    responses: {
        /** @description Refused */
        Refused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
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
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    checkAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contentId": "tides",
                 *       "requesterId": "university",
                 *       "permission": "full_access",
                 *       "context": {
                 *         "userAgent": "GPTBot/1.2",
                 *         "ip": "203.0.113.7"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Check"];
            };
        };
        responses: {
            /** @description A decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessDecision"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    checkAccessBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "contentId": "tides",
                 *           "requesterId": "university"
                 *         },
                 *         {
                 *           "url": "https://www.example.com/news/",
                 *           "context": {
                 *             "country": "DE"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CheckBatch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessDecisionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    authorize: {
        parameters: {
            query?: {
                /** @description The origin of the site, such as https://example.com; replaces the host that a request names */
                origin?: string;
                /** @description The header in which your proxy sends the requester id */
                requesterHeader?: string;
                /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
                permission?: string;
                /** @description The purpose in your own words: 1–64 characters, and not `*` */
                purpose?: string;
                /** @description The statuses besides 403 that your proxy passes on: any of 401, 402 and 429, separated by commas */
                denyStatus?: string;
                /** @description Only Cloudflare's Pay Per Crawl reaches the site: a request that it will charge counts as licensed with this type, at the price of its offer */
                payPerCrawl?: string;
                /** @description Denials have a body for the visitor: problem details, or a small page; none by default */
                body?: "problem" | "html";
                /** @description Where that body is; `header`: in `X-Postern-Body`, with its type in `X-Postern-Body-Type`, for proxies that drop the body */
                bodyIn?: "body" | "header";
                /** @description The answer for unregistered content; deny by default */
                unknown?: "deny" | "allow";
            };
            header?: {
                /** @description The target that the visitor requested: path and query, or a URL */
                "x-original-uri"?: string;
                /** @description The same, from proxies that use this name */
                "x-forwarded-uri"?: string;
                /** @description The host that the visitor requested; `origin` takes precedence */
                "x-forwarded-host"?: string;
                /** @description The last entry that is no trusted proxy is the address of the visitor, with a port or without */
                "x-forwarded-for"?: string;
                /** @description The same (RFC 7239), without `X-Forwarded-For` */
                forwarded?: string;
                /** @description The visitor's user agent */
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
            /** @description Denied, the same way, with a body where `body` asks for it; or refused, with an error */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Record<string, never>;
                    "text/html": string;
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Refused */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Record<string, never>;
                    "text/html": string;
                    "application/json": components["schemas"]["Error"];
                };
            };
            "5XX": components["responses"]["Refused"];
        };
    };
    getAuthzenConfiguration: {
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
                    "application/json": components["schemas"]["AuthzenConfiguration"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    searchSubjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "requester"
                 *       },
                 *       "action": {
                 *         "name": "full_access"
                 *       },
                 *       "resource": {
                 *         "type": "article",
                 *         "id": "tides"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubjectSearch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    searchResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "requester",
                 *         "id": "university"
                 *       },
                 *       "action": {
                 *         "name": "full_access"
                 *       },
                 *       "resource": {
                 *         "type": "content"
                 *       },
                 *       "page": {
                 *         "limit": 50
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ResourceSearch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResults"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    searchActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "requester",
                 *         "id": "university"
                 *       },
                 *       "resource": {
                 *         "type": "content",
                 *         "id": "tides"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ActionSearch"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionSearchResults"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    evaluateAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "university",
                 *         "properties": {
                 *           "role": "editor"
                 *         }
                 *       },
                 *       "action": {
                 *         "name": "full_access"
                 *       },
                 *       "resource": {
                 *         "type": "article",
                 *         "id": "tides"
                 *       },
                 *       "context": {
                 *         "purpose": "reading"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Evaluation"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationDecision"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    evaluateAccesses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "university"
                 *       },
                 *       "action": {
                 *         "name": "full_access"
                 *       },
                 *       "evaluations": [
                 *         {
                 *           "resource": {
                 *             "type": "article",
                 *             "id": "tides"
                 *           }
                 *         },
                 *         {
                 *           "resource": {
                 *             "type": "page",
                 *             "id": "https://www.example.com/news/"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Evaluations"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvaluationDecisions"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listReach: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description The purpose in your own words: 1–64 characters, and not `*` */
                purpose?: string;
                /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
                permission?: string;
                /** @description Only what is in this collection */
                collectionId?: string;
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
                    "application/json": components["schemas"]["ReachList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listContentReaders: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description The purpose in your own words: 1–64 characters, and not `*` */
                purpose?: string;
                /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
                permission?: string;
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
                    "application/json": components["schemas"]["ReaderList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listCollectionReaders: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description The purpose in your own words: 1–64 characters, and not `*` */
                purpose?: string;
                /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
                permission?: string;
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
                    "application/json": components["schemas"]["ReaderList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createProxyProbe: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host": "www.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["CreateProxyProbe"];
            };
        };
        responses: {
            /** @description Finds out what a proxy passes on of a request */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyProbe"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getProxyProbe: {
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
            /** @description Finds out what a proxy passes on of a request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyProbe"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Id or externalId */
                contentId?: string;
                /** @description Not for public keys */
                requesterId?: string;
                policyId?: string;
                /** @description Only requests whose user agent is of this program: an id of `groupBy=program`. Not for public keys, and not in the log of tests */
                program?: string;
                allowed?: boolean;
                reason?: components["schemas"]["DenialReason"];
                /** @description Only URLs that begin like this: host and path; a scheme is ignored */
                url?: string;
                /** @description Only requests of this page: host and path, in any spelling that is the same file */
                page?: string;
                /** @description Only requests of this page and of those below it, by whole segments of the path: a host, or host and path such as `www.example.com/news` */
                pagePrefix?: string;
                /** @description Only decisions by this rule: policy, version and index, such as `pol_…/3/0`; `pol_…/3/default` for the default action */
                rule?: string;
                /** @description Only requests whose visitor claimed a name falsely */
                spoofed?: boolean;
                /** @description Only accesses of crawlers that broke robots.txt as it was then; `within_24h`: a copy that they may have kept for 24 hours allowed them. A page may have fewer entries than follow, and `totalCount` counts the accesses of crawlers */
                robots?: "broken" | "within_24h" | "any";
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only requests that were verified in this way, in any way (`true`), or not at all (`false`) */
                verified?: "true" | "false" | "token" | "signature" | "ip" | "dns" | "license";
                /** @description Only decisions that this license decided */
                licenseId?: string;
                /** @description Only requests with this purpose */
                purpose?: string;
                /** @description Only requests for this permission */
                permission?: string;
                /** @description Only decisions that were enforced (true), or only observed (false) */
                enforced?: boolean;
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
                to?: string;
                /** @description Decisions for `live` or for `test` keys. Default: the mode of your key */
                mode?: "live" | "test";
                /** @description Adds `names`: the current names of item, requester, policy and collection */
                expand?: "names";
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
                    "application/json": components["schemas"]["LoggedDecisionList"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getDecision: {
        parameters: {
            query?: {
                /** @description Adds `names`: the current names of item, requester, policy and collection */
                expand?: "names";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A recorded decision and the check it answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedDecision"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getDecisionProof: {
        parameters: {
            query?: {
                /** @description The size of an earlier checkpoint: the receipt also shows that the log continues it */
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A receipt (C2SP tlog-proof); `postern verify` verifies it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listLogKeys: {
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
                    "application/json": components["schemas"]["LogKeys"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rotateLogKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
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
                    "application/json": components["schemas"]["LogKeys"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listContent: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                type?: components["schemas"]["ContentType"];
                status?: "active" | "archived";
                policyId?: string;
                collectionId?: string;
                tag?: string;
                externalId?: string;
                /** @description Words of the title */
                q?: string;
                createdAfter?: string;
                createdBefore?: string;
                /** @description Adds the policy with its rules. Needs `policies:read`, too */
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
                    "application/json": components["schemas"]["ContentList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "externalId": "tides",
                 *       "title": "Tides",
                 *       "type": "article",
                 *       "source": "https://www.example.com/news/tides",
                 *       "tags": [
                 *         "science"
                 *       ],
                 *       "policyId": "pol_01kbm3q8e5f6v7w8x9y0z1a2b3"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContent"];
            };
        };
        responses: {
            /** @description An item of content */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Content"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getContent: {
        parameters: {
            query?: {
                /** @description Adds the policy with its rules. Needs `policies:read`, too */
                expand?: "policy";
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
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
                    "application/json": components["schemas"]["Content"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["ContentDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updateContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "science",
                 *         "coast"
                 *       ],
                 *       "metadata": {
                 *         "words": 1250
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateContent"];
            };
        };
        responses: {
            /** @description An item of content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Content"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    upsertContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "externalId": "map-1",
                 *       "title": "Map",
                 *       "type": "image",
                 *       "source": "https://www.example.com/map"
                 *     }
                 */
                "application/json": components["schemas"]["CreateContent"];
            };
        };
        responses: {
            /** @description An item of content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Content"];
                };
            };
            /** @description An item of content */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Content"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    bulkUpsertContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "externalId": "map-1",
                 *           "title": "Map of the coast",
                 *           "type": "image",
                 *           "source": "https://www.example.com/map"
                 *         },
                 *         {
                 *           "externalId": "map-2",
                 *           "title": "Map of the river",
                 *           "type": "image",
                 *           "source": "https://www.example.com/map-2"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkUpsert"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUpsertResult"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    bulkDeleteContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "map-1",
                 *         "map-2"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BulkDelete"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeleteResult"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Words of the name */
                q?: string;
                /** @description The policy that is in force for the collection */
                policyId?: string;
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
                    "application/json": components["schemas"]["CollectionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description With at least one selector */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News",
                 *       "hosts": [
                 *         "www.example.com"
                 *       ],
                 *       "paths": [
                 *         "/news/"
                 *       ],
                 *       "policyId": "pol_01kbm3q8e5f6v7w8x9y0z1a2b3"
                 *     }
                 */
                "application/json": components["schemas"]["CreateCollection"];
            };
        };
        responses: {
            /** @description A collection, and warnings about its selectors */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getCollection: {
        parameters: {
            query?: {
                expand?: "warnings";
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A collection */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["CollectionDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mode": "observe"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateCollection"];
            };
        };
        responses: {
            /** @description A collection, and warnings about its selectors */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listCollectionVersions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["CollectionVersionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    matchCollection: {
        parameters: {
            query: {
                /** @description An absolute http or https URL */
                url: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What decides about a URL */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionMatch"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    tryCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://www.example.com/news/tides",
                 *       "collection": {
                 *         "hosts": [
                 *           "www.example.com"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TryCollection"];
            };
        };
        responses: {
            /** @description What would decide about a URL if the collection were stored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedMatch"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOffers: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                licenseType?: string;
                collectionId?: string;
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
                    "application/json": components["schemas"]["OfferList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOffer: {
        parameters: {
            query?: {
                /** @description The offer for this collection; else the one for everywhere */
                collectionId?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                licenseType: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a license of a type costs, and how to get one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    putOffer: {
        parameters: {
            query?: {
                /** @description The offer for this collection; else the one for everywhere */
                collectionId?: string;
            };
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                licenseType: string;
            };
            cookie?: never;
        };
        /** @description With a price, a `contact` or a `url`. A field that is left out has its default. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "unitPriceMicros": 5000,
                 *       "currency": "EUR",
                 *       "contact": "licensing@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["PutOffer"];
            };
        };
        responses: {
            /** @description What a license of a type costs, and how to get one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description What a license of a type costs, and how to get one */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteOffer: {
        parameters: {
            query?: {
                /** @description The offer for this collection; else the one for everywhere */
                collectionId?: string;
            };
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                licenseType: string;
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
                    "application/json": components["schemas"]["OfferDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listSites: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["SiteList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A host whose policies are published as signals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    putSite: {
        parameters: {
            query?: {
                /** @description Answer as if it were stored, and store nothing */
                dryRun?: boolean;
            };
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        /** @description Fields that are absent get their first values */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contact": "licensing@example.com",
                 *       "urls": {
                 *         "case": "ignored"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutSite"];
            };
        };
        responses: {
            /** @description A host whose policies are published as signals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            /** @description A host whose policies are published as signals */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                host: string;
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
                        /** @description The host */
                        id: string;
                        host: string;
                        /** @enum {string} */
                        object: "site";
                        /** @enum {boolean} */
                        deleted: true;
                    };
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rotateSigningKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RotateSigningKeys"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicenseToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "resource": "https://www.example.com/news/*",
                 *       "license": "<license><permits type=\"usage\">search</permits></license>"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["LicenseTokenRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseToken"];
                };
            };
            /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicenseTokenKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JWK Set (RFC 7517) with the keys that verify License tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseTokenKeys"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    introspectLicenseToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJFUzI1NiJ9.e30.AA"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectRequest"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseTokenState"];
                };
            };
            /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            /** @description A refusal as OAuth has it (RFC 6749, 5.2) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthError"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getRobotsTxtSignal: {
        parameters: {
            query?: {
                /** @description What was served at this past time */
                asOf?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups of robots.txt (RFC 9309), with `Content-Signal` and `License` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicenseXmlSignal: {
        parameters: {
            query?: {
                /** @description What was served at this past time */
                asOf?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is permitted, and at which price (RSL 1.0) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/rsl+xml": string;
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getTdmrepJsonSignal: {
        parameters: {
            query?: {
                /** @description What was served at this past time */
                asOf?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where text and data mining is reserved (TDMRep) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getTdmPolicySignal: {
        parameters: {
            query?: {
                /** @description What was served at this past time */
                asOf?: string;
                /** @description The policy of this collection; by default a list of all */
                collectionId?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policies of reserved collections (ODRL), as a list; `collectionId`: one of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/ld+json": unknown;
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getHeadersSignal: {
        parameters: {
            query?: {
                /** @description What was served at this past time */
                asOf?: string;
            };
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The headers of allowed pages, as `/v1/authorize` answers them. The first entry whose `location` matches holds */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getSignalsReport: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
            };
            header?: never;
            path: {
                host: string;
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
                    "application/json": components["schemas"]["SignalsReport"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getSignalsDrift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The live files of a site, compared with the intended ones by meaning */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalsDrift"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    checkSignalsDrift: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The live files of a site, compared with the intended ones by meaning */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalsDrift"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listRequesters: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["RequesterList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "university",
                 *       "name": "University of Somewhere",
                 *       "type": "research",
                 *       "tags": [
                 *         "nonprofit"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateRequester"];
            };
        };
        responses: {
            /** @description A requester */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requester"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    importRequesters: {
        parameters: {
            query?: {
                /** @description Checks each line and writes nothing */
                dryRun?: boolean;
                /** @description Changes registered requesters, too. Without it, a line that would change one is an error */
                update?: boolean;
            };
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description CSV with a row of names: `id`, `name`, `type`, `tags` and `userAgents` (separated by `|`), `contactName`, `email`, `billingAddress`; an `id` or a `name` is required. An empty cell keeps what is stored. At most 1,000 rows */
        requestBody: {
            content: {
                /**
                 * @example name,type,contactName,email
                 *     Northern Library,research,Jo Reyes,jo@library.example
                 */
                "text/csv": components["schemas"]["RequesterCsv"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestersImported"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
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
                    "application/json": components["schemas"]["Requester"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["RequesterDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updateRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "nonprofit",
                 *         "partner"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateRequester"];
            };
        };
        responses: {
            /** @description A requester */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Requester"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    eraseRequester: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "university"
                 *     }
                 */
                "application/json": {
                    /** @description The id once more; it must be the one in the path */
                    confirm?: string;
                };
            };
        };
        responses: {
            /** @description An erasure of a requester; it cannot be undone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listRequesterTokens: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["RequesterTokenList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createRequesterToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Production",
                 *       "expiresAt": "2100-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["CreateRequesterToken"];
            };
        };
        responses: {
            /** @description A token by which a requester proves who it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequesterToken"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getRequesterToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token by which a requester proves who it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequesterToken"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    revokeRequesterToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tokenId: string;
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
                    "application/json": components["schemas"]["RequesterTokenRevoked"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rotateRequesterToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateRequesterToken"];
            };
        };
        responses: {
            /** @description A token by which a requester proves who it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequesterToken"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    registerCrawlers: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "names": [
                 *         "GPTBot",
                 *         "ClaudeBot"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RegisterCrawlers"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlersRegistered"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listCrawlers: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                purpose?: components["schemas"]["CrawlerPurpose"];
                /** @description Only entries of your own, or only rows of the directory */
                own?: boolean;
                /** @description A part of the name, the operator or a user agent */
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
                    "application/json": components["schemas"]["CrawlerList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createCrawler: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "foobot",
                 *       "name": "Foobot",
                 *       "operator": "Foo Ltd",
                 *       "purpose": "training"
                 *     }
                 */
                "application/json": components["schemas"]["CreateCrawler"];
            };
        };
        responses: {
            /** @description A bot of the crawler directory */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Crawler"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteCrawler: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
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
                    "application/json": components["schemas"]["CrawlerDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listIdentityLists: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["IdentityListList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    acceptIdentityList: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://openai.com/gptbot.json"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptIdentityList"];
            };
        };
        responses: {
            /** @description A published list of addresses that verify a name */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description 1–128 letters, digits or . _ : @ / - */
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
                    "application/json": components["schemas"]["LicenseList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requesterId": "university",
                 *       "type": "research",
                 *       "expiresAt": "2100-01-01T00:00:00Z",
                 *       "terms": {
                 *         "currency": "EUR",
                 *         "timezone": "Europe/Berlin",
                 *         "period": "month",
                 *         "unit": "decision",
                 *         "tiers": [
                 *           {
                 *             "upTo": null,
                 *             "unitPriceMicros": 5000
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateLicense"];
            };
        };
        responses: {
            /** @description A license */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["LicenseDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updateLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "features": [
                 *         "archive"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateLicense"];
            };
        };
        responses: {
            /** @description A license, and warnings about the edit */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditedLicense"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    revokeLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listLicenseTerms: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["LicenseTermsVersionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listStatements: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Statements whose billing period ends within this month, quarter or year; by default this month */
                period?: string;
                /** @description 1–128 letters, digits or . _ : @ / - */
                requesterId?: string;
                licenseId?: string;
                /** @description The time zone of `outside` */
                timezone?: string;
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
                    "application/json": components["schemas"]["StatementList"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getStatement: {
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
            /** @description What a license used in a billing period, and what that costs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                    "text/csv": string;
                    "text/html": string;
                    "application/x-ndjson": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getStatementProof: {
        parameters: {
            query?: {
                /** @description The size of an earlier checkpoint: the receipt also shows that the log continues it */
                since?: number;
                /** @description The receipt also shows that a line of the statement counts this decision */
                decisionId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A receipt (C2SP tlog-proof); `postern verify` verifies it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    reconcileStatement: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description CSV with a row of names: `count`, and any of `date`, `contentId` or `url`, and `purpose` */
        requestBody: {
            content: {
                /**
                 * @example contentId,count
                 *     tides,2
                 */
                "text/csv": components["schemas"]["PartnerCounts"];
            };
        };
        responses: {
            /** @description A statement compared with a partner's counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    previewStatement: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "startsAt": "2030-10-28T00:00:00Z",
                 *       "units": 100,
                 *       "terms": {
                 *         "currency": "EUR",
                 *         "timezone": "Europe/Berlin",
                 *         "period": "month",
                 *         "unit": "decision",
                 *         "tiers": [
                 *           {
                 *             "upTo": null,
                 *             "unitPriceMicros": 5000
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["FirstBillRequest"];
            };
        };
        responses: {
            /** @description What a license would cost in its first billing period */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirstBill"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    finalizeStatement: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a license used in a billing period, and what that costs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicenseUsage: {
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
            /** @description The running period of a license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseUsage"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    simulatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": {
                 *         "rules": [
                 *           {
                 *             "action": "allow",
                 *             "conditions": {
                 *               "licenseType": "research"
                 *             }
                 *           },
                 *           {
                 *             "action": "allow",
                 *             "conditions": {
                 *               "purpose": "reading"
                 *             },
                 *             "permissions": [
                 *               "preview_only"
                 *             ]
                 *           }
                 *         ]
                 *       },
                 *       "checks": [
                 *         {
                 *           "contentId": "tides",
                 *           "context": {
                 *             "userAgent": "GPTBot/1.2"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Simulation"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulatedDecisionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    previewPolicyImpact: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": {
                 *         "rules": [
                 *           {
                 *             "action": "allow",
                 *             "conditions": {
                 *               "licenseType": "research"
                 *             }
                 *           },
                 *           {
                 *             "action": "allow",
                 *             "conditions": {
                 *               "purpose": "reading"
                 *             },
                 *             "permissions": [
                 *               "preview_only"
                 *             ]
                 *           }
                 *         ]
                 *       },
                 *       "examples": 5
                 *     }
                 */
                "application/json": components["schemas"]["PreviewImpact"];
            };
        };
        responses: {
            /** @description How these rules would have decided the recorded checks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyImpact"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getPolicyCandidate: {
        parameters: {
            query?: {
                /** @description Length of the lists */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A candidate, and how its decisions differ from those of its policy; most divergences first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyCandidateFigures"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    putPolicyCandidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "purposeNot": "training"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PutPolicyCandidate"];
            };
        };
        responses: {
            /** @description Rules that are tried beside a policy, and warnings about them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyCandidate"];
                };
            };
            /** @description Rules that are tried beside a policy, and warnings about them */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyCandidate"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deletePolicyCandidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["PolicyCandidateDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    publishPolicyCandidate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy, and warnings about its rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["PolicyList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Research partners",
                 *       "description": "Licensed research; previews for readers",
                 *       "rules": [
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "licenseType": "research"
                 *           }
                 *         },
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "purpose": "reading"
                 *           },
                 *           "permissions": [
                 *             "preview_only"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePolicy"];
            };
        };
        responses: {
            /** @description A policy, and warnings about its rules */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listPolicyTemplates: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["PolicyTemplateList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: answers 304 if the record has not changed since */
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
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Not changed since the `ETag` in `If-None-Match` */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["PolicyDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "licenseType": "research"
                 *           }
                 *         },
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "purpose": "reading"
                 *           },
                 *           "permissions": [
                 *             "preview_only"
                 *           ]
                 *         },
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "requesterTags": "partner"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePolicy"];
            };
        };
        responses: {
            /** @description A policy, and warnings about its rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    lintPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Research partners",
                 *       "rules": [
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "licenseType": "research"
                 *           }
                 *         },
                 *         {
                 *           "action": "allow",
                 *           "conditions": {
                 *             "purpose": "reading"
                 *           },
                 *           "permissions": [
                 *             "preview_only"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LintPolicy"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyLint"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    makePolicyDefault: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
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
                    "application/json": components["schemas"]["Policy"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rollbackPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
                /** @description An `ETag`: edits the record only if it has not changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["RollbackPolicy"];
            };
        };
        responses: {
            /** @description A policy, and warnings about its rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyWithWarnings"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["PolicyVersionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            /** @description A policy as it was in one version */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            /** @description The differences between two versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyDiff"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Web server",
                 *       "type": "secret",
                 *       "permissions": [
                 *         "access:check"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description An API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
                    "application/json": components["schemas"]["ApiKeyRevoked"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "graceSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateApiKey"];
            };
        };
        responses: {
            /** @description An API key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                role?: components["schemas"]["Role"];
                status?: "active" | "suspended";
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
                    "application/json": components["schemas"]["UserList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles of people and what they may do */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleTable"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getUser: {
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
            /** @description A person who signs in to the console */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    deleteUser: {
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
                    "application/json": components["schemas"]["UserDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace",
                 *       "role": "licensing"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSignInLink"];
            };
        };
        responses: {
            /** @description A link that signs one person in, once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    suspendUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in to the console */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    reinstateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who signs in to the console */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Id of a key or a user, or `system` */
                actor?: string;
                /** @description Id of a record, or one of content, collection, policy, policy_candidate, requester, requester_token, denials, crawler, identity, crawler_directory, license, log_keys, signing_keys, site, signals, license_request, offer, statement, api_key, user, webhook, webhook_delivery */
                object?: string;
                kind?: "content.created" | "content.updated" | "content.archived" | "content.restored" | "content.deleted" | "collection.created" | "collection.updated" | "collection.deleted" | "policy.created" | "policy.updated" | "policy.rolled_back" | "policy.deleted" | "policy.candidate_diverged" | "policy_candidate.created" | "policy_candidate.updated" | "policy_candidate.deleted" | "requester.created" | "requester.updated" | "requester.deleted" | "requester.erased" | "requester_token.created" | "requester_token.rotated" | "requester_token.revoked" | "requester.spoofed" | "denials.jumped" | "crawler.created" | "crawler.deleted" | "crawler.first_seen" | "identity.list_changed" | "identity.list_suspicious" | "identity.list_accepted" | "crawler_directory.replaced" | "license.created" | "license.updated" | "license.revoked" | "license.expired" | "license.expiring" | "log_keys.rotated" | "signing_keys.rotated" | "site.created" | "site.updated" | "site.deleted" | "signals.drifted" | "license.requested" | "license_request.granted" | "license_request.declined" | "license.threshold_reached" | "license.quota_exceeded" | "offer.created" | "offer.updated" | "offer.deleted" | "statement.finalized" | "api_key.created" | "api_key.rotated" | "api_key.revoked" | "user.created" | "user.signed_in" | "user.link_created" | "user.role_lost" | "user.suspended" | "user.reinstated" | "user.deleted" | "webhook.created" | "webhook.updated" | "webhook.secret_rotated" | "webhook.disabled" | "webhook.deleted" | "webhook.test" | "webhook_delivery.retried";
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
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
                    "application/json": components["schemas"]["AuditEntryList"];
                    "application/x-ndjson": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/postern",
                 *       "events": [
                 *         "license.*",
                 *         "access.denied"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description A webhook */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
                    "application/json": components["schemas"]["WebhookDeleted"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "disabled"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            /** @description A webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
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
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of one event to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            /** @description The delivery of one event to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
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
            /** @description The delivery of one event to one webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Kinds of event, separated by commas; `content.*` for all of a group */
                type?: string;
                /** @description Id of the record or decision that the event is about */
                objectId?: string;
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
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
                    "application/json": components["schemas"]["EventList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Kinds of event, separated by commas; `content.*` for all of a group */
                type?: string;
                /** @description Replaces the header Last-Event-ID in clients that cannot set it */
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
                content: {
                    "text/event-stream": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            /** @description A change of a record, or a decision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getAttention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What needs attention now, as far as the key may read it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attention"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Days up to and including today; `year` is 365 days, `all` starts at the first decision. `startDate` and `endDate` take precedence. */
                period?: "7d" | "30d" | "90d" | "year" | "all";
                /** @description Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`, the report ends now. */
                startDate?: string;
                /** @description End: a date, whose day is included, or an exclusive date-time. Without `startDate`, the report starts one `period` earlier. */
                endDate?: string;
                /** @description Length of a bucket; or what to count by in `groups`, and the buckets are days. */
                groupBy?: "hour" | "day" | "week" | "month" | "collection" | "crawler" | "program" | "page" | "verified" | "license" | "purpose" | "permission" | "rule" | "enforced";
                /** @description IANA time zone in which days, weeks, months and hours start. */
                timezone?: string;
                /** @description Only this content: its id or externalId. */
                contentId?: string;
                /** @description Only this requester. Not for public keys. */
                requesterId?: string;
                type?: components["schemas"]["ContentType"];
                reason?: components["schemas"]["DenialReason"];
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only requests that were verified in this way, in any way (`true`), or not at all (`false`) */
                verified?: "true" | "false" | "token" | "signature" | "ip" | "dns" | "license";
                /** @description Only decisions that this license decided */
                licenseId?: string;
                /** @description Only requests with this purpose */
                purpose?: string;
                /** @description Only requests for this permission */
                permission?: string;
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description Only requests of this page: host and path, in any spelling that is the same file */
                page?: string;
                /** @description Only requests of this page and of those below it, by whole segments of the path: a host, or host and path such as `www.example.com/news` */
                pagePrefix?: string;
                /** @description Only decisions by this rule: policy, version and index, such as `pol_…/3/0`; `pol_…/3/default` for the default action */
                rule?: string;
                /** @description Only requests whose visitor claimed a name falsely */
                spoofed?: boolean;
                /** @description `trends` adds the requests by bucket to each entry of the top lists, at most 100,000 numbers in all. */
                expand?: "trends";
                /** @description `previous` adds the summary of the preceding period of equal length. */
                compare?: "previous";
                /** @description Length of the lists. Without it, CSV has all groups. */
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
                    "application/json": components["schemas"]["UsageReport"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getVisitors: {
        parameters: {
            query?: {
                /** @description Days up to and including today; `year` is 365 days, `all` starts at the first decision. `startDate` and `endDate` take precedence. */
                period?: "7d" | "30d" | "90d" | "year" | "all";
                /** @description Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`, the report ends now. */
                startDate?: string;
                /** @description End: a date, whose day is included, or an exclusive date-time. Without `startDate`, the report starts one `period` earlier. */
                endDate?: string;
                /** @description IANA time zone in which days, weeks, months and hours start. */
                timezone?: string;
                /** @description Only this content: its id or externalId. */
                contentId?: string;
                /** @description Only this requester. Not for public keys. */
                requesterId?: string;
                type?: components["schemas"]["ContentType"];
                reason?: components["schemas"]["DenialReason"];
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only requests that were verified in this way, in any way (`true`), or not at all (`false`) */
                verified?: "true" | "false" | "token" | "signature" | "ip" | "dns" | "license";
                /** @description Only decisions that this license decided */
                licenseId?: string;
                /** @description Only requests with this purpose */
                purpose?: string;
                /** @description Only requests for this permission */
                permission?: string;
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description Only requests of this page: host and path, in any spelling that is the same file */
                page?: string;
                /** @description Only requests of this page and of those below it, by whole segments of the path: a host, or host and path such as `www.example.com/news` */
                pagePrefix?: string;
                /** @description Only decisions by this rule: policy, version and index, such as `pol_…/3/0`; `pol_…/3/default` for the default action */
                rule?: string;
                /** @description Only requests whose visitor claimed a name falsely */
                spoofed?: boolean;
                /** @description Length of a bucket. */
                groupBy?: "hour" | "day" | "week" | "month";
                /** @description Number of visitors. */
                limit?: number;
                /** @description Number of pages. */
                pages?: number;
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
                    "application/json": components["schemas"]["VisitorsReport"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listSeenRequesters: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
                to?: string;
                /** @description Part of an id or a name, case-insensitive. */
                q?: string;
                /** @description Only registered requesters (true), or only unregistered ones (false). */
                registered?: boolean;
                /** @description Only registered requesters with this status. Needs `policies:read`. */
                status?: "active" | "suspended";
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description Greatest or latest first, then by id. */
                sort?: "requests" | "denied" | "lastSeen";
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
                    "application/json": components["schemas"]["SeenRequesterList"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listPrograms: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
                to?: string;
                /** @description Part of an id or a name, case-insensitive. */
                q?: string;
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description Greatest or latest first, then by name. */
                sort?: "requests" | "pages" | "lastSeen" | "firstSeen";
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
                    "application/json": components["schemas"]["UnknownProgramList"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listDemand: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Inclusive: a date or a date-time, UTC. Default: 30 days before `to`. */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time. Default: now. */
                to?: string;
                /** @description Days back from `to`, including its day. */
                period?: "7d" | "30d" | "90d" | "year" | "all";
                /** @description The time zone of days. Default: UTC. */
                timezone?: string;
                /** @description What a row is: `who` by default, or several such as `who,purpose,licenseType`. `who` is a requester; checks without one are apart by crawler and program, which `requester` counts as one. Public keys see no requesters: `crawler` by default. */
                groupBy?: string;
                /** @description Part of an id or a name, case-insensitive. */
                q?: string;
                requesterId?: string;
                /** @description Id or externalId */
                contentId?: string;
                type?: components["schemas"]["ContentType"];
                purpose?: string;
                /** @description Only denials for this reason. */
                reason?: "no_license" | "license_expired";
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only denials that a license of this type would have turned. */
                licenseType?: string;
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description asc: the least or oldest first. */
                order?: "desc" | "asc";
                /** @description `change` is `denied` minus `previous`. Greatest or latest first, then by id. */
                sort?: "denied" | "change" | "lastSeen";
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
                    "application/json": components["schemas"]["DemandList"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requester of the token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOwnLicenses: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
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
                    "application/json": components["schemas"]["PartnerLicenseList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnLicenseUsage: {
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
            /** @description The running period of a license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseUsage"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOwnStatements: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Statements whose billing period ends within this month, quarter or year; by default this month */
                period?: string;
                licenseId?: string;
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
                    "application/json": components["schemas"]["PartnerStatementList"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnStatement: {
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
            /** @description What a license used in a billing period, and what that costs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                    "text/csv": string;
                    "text/html": string;
                    "application/x-ndjson": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnStatementProof: {
        parameters: {
            query?: {
                /** @description The size of an earlier checkpoint: the receipt also shows that the log continues it */
                since?: number;
                /** @description The receipt also shows that a line of the statement counts this decision */
                decisionId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A receipt (C2SP tlog-proof); `postern verify` verifies it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOwnDecisions: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description Id or externalId */
                contentId?: string;
                allowed?: boolean;
                reason?: components["schemas"]["DenialReason"];
                /** @description Only URLs that begin like this: host and path; a scheme is ignored */
                url?: string;
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only requests that were verified in this way, in any way (`true`), or not at all (`false`) */
                verified?: "true" | "false" | "token" | "signature" | "ip" | "dns" | "license";
                /** @description Only decisions that this license decided */
                licenseId?: string;
                /** @description Only requests with this purpose */
                purpose?: string;
                /** @description Only requests for this permission */
                permission?: string;
                /** @description Only decisions that were enforced (true), or only observed (false) */
                enforced?: boolean;
                /** @description Inclusive: a date or a date-time, UTC */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time */
                to?: string;
                /** @description `test`: decisions for test keys of the publisher. Default: `live` */
                mode?: "live" | "test";
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
                    "application/json": components["schemas"]["PartnerDecisionList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnDecision: {
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
            /** @description A recorded decision about the partner */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerDecision"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnDecisionProof: {
        parameters: {
            query?: {
                /** @description The size of an earlier checkpoint: the receipt also shows that the log continues it */
                since?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A receipt (C2SP tlog-proof); `postern verify` verifies it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getOwnUsage: {
        parameters: {
            query?: {
                /** @description Days up to and including today; `year` is 365 days, `all` starts at the first decision. `startDate` and `endDate` take precedence. */
                period?: "7d" | "30d" | "90d" | "year" | "all";
                /** @description Start, inclusive: a date or a date-time (ISO 8601). Without `endDate`, the report ends now. */
                startDate?: string;
                /** @description End: a date, whose day is included, or an exclusive date-time. Without `startDate`, the report starts one `period` earlier. */
                endDate?: string;
                /** @description IANA time zone in which days, weeks, months and hours start. */
                timezone?: string;
                /** @description Only this content: its id or externalId. */
                contentId?: string;
                type?: components["schemas"]["ContentType"];
                reason?: components["schemas"]["DenialReason"];
                /** @description Only decisions in this collection */
                collectionId?: string;
                /** @description Only requests whose user agent names this crawler */
                crawler?: string;
                /** @description Only requests that were verified in this way, in any way (`true`), or not at all (`false`) */
                verified?: "true" | "false" | "token" | "signature" | "ip" | "dns" | "license";
                /** @description Only decisions that this license decided */
                licenseId?: string;
                /** @description Only requests with this purpose */
                purpose?: string;
                /** @description Only requests for this permission */
                permission?: string;
                /** @description false: counts the decisions that were only observed instead of those that were enforced. */
                enforced?: boolean;
                /** @description `trends` adds the requests by bucket to each entry of the top lists, at most 100,000 numbers in all. */
                expand?: "trends";
                /** @description `previous` adds the summary of the preceding period of equal length. */
                compare?: "previous";
                /** @description Length of the lists. Without it, CSV has all groups. */
                limit?: number;
                /** @description Length of a bucket; or what to count by in `groups`, and the buckets are days. */
                groupBy?: "hour" | "day" | "week" | "month" | "collection" | "crawler" | "verified" | "license" | "purpose" | "permission" | "enforced";
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
                    "application/json": components["schemas"]["PartnerUsage"];
                    "text/csv": string;
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    checkOwnAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "contentId": "tides"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PartnerChecks"];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerAccessList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOwnContent: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                purpose?: string;
                /** @description 1–64 lowercase letters, digits or underscores; starts with a letter */
                permission?: string;
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
                    "application/json": components["schemas"]["PartnerContentList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listOwnRequests: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                status?: "open" | "granted" | "declined";
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
                    "application/json": components["schemas"]["LicenseRequestList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    requestLicense: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "licenseType": "commercial",
                 *       "note": "For our search index"
                 *     }
                 */
                "application/json": components["schemas"]["CreateLicenseRequest"];
            };
        };
        responses: {
            /** @description A request for a license */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRequest"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listLicenseRequests: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                status?: "open" | "granted" | "declined";
                /** @description 1–128 letters, digits or . _ : @ / - */
                requesterId?: string;
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
                    "application/json": components["schemas"]["LicenseRequestList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    getLicenseRequest: {
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
            /** @description A request for a license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRequest"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    grantLicenseRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        /** @description Fields of the license, with `terms` or `free: true`. A request for a collection is granted for that collection, unless `scope` is null or has other `collectionIds`. Without `expiresAt`, the license ends a year after it starts; null: no end. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "commercial",
                 *       "expiresAt": "2100-01-01T00:00:00Z",
                 *       "terms": {
                 *         "currency": "EUR",
                 *         "timezone": "Europe/Berlin",
                 *         "period": "month",
                 *         "unit": "decision",
                 *         "tiers": [
                 *           {
                 *             "upTo": null,
                 *             "unitPriceMicros": 5000
                 *           }
                 *         ]
                 *       },
                 *       "answer": "Welcome"
                 *     }
                 */
                "application/json": components["schemas"]["GrantLicenseRequest"];
            };
        };
        responses: {
            /** @description A request for a license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRequest"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    declineLicenseRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key takes effect once and gets the same answer, for 24 hours. Answers without an effect are not kept. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "answer": "Not this year"
                 *     }
                 */
                "application/json": components["schemas"]["DeclineLicenseRequest"];
            };
        };
        responses: {
            /** @description A request for a license */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRequest"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
    listUnregistered: {
        parameters: {
            query?: {
                /** @description Records per page, 20 by default */
                limit?: number;
                /** @description nextCursor of the page before; the filters stay the same */
                cursor?: string;
                /** @description A date or a date-time, UTC; its hour is counted whole. */
                from?: string;
                /** @description A date, whose day is included, or an exclusive date-time; an hour that it cuts is counted whole. */
                to?: string;
                /** @description Only this host, with its port where one is served. */
                host?: string;
                /** @description Greatest or latest first, then by host and path. */
                sort?: "requests" | "lastSeen";
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
                    "application/json": components["schemas"]["UnregisteredRequestsList"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
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
            /** @description The state of this node */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Refused"];
        };
    };
}
