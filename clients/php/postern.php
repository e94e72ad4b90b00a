<?php
/**
 * The client of Postern for PHP: the calls that an integration makes. A write is retried only under the same
 * idempotency key, so it takes effect once. No attempt takes longer than its timeout.
 * The types name the fields that an integration uses; `openapi.json` has all of them.
 */

declare(strict_types=1);

namespace Postern\Client;

/** A refusal. `errorCode` says why; `unexpected_answer` means that something else answered, such as a proxy. */
final class PosternError extends \RuntimeException
{
    public readonly string $errorCode;
    /** The field or parameter that is wrong. */
    public readonly ?string $param;
    /** @var list<array<string, mixed>> Everything that is wrong with a body. */
    public readonly array $details;
    /** Quote it when you contact the operator. */
    public readonly ?string $requestId;

    /** @param array<string, mixed> $error */
    public function __construct(
        public readonly int $status,
        array $error,
        ?string $requestId,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct($error['message'] ?? "The answer with status $status is not Postern's.");
        $this->errorCode = $error['code'] ?? 'unexpected_answer';
        $this->param = $error['param'] ?? null;
        $this->details = $error['details'] ?? [];
        $this->requestId = $error['requestId'] ?? $requestId;
    }
}

/** No answer, or none in time. The request may have taken effect all the same. */
final class PosternUnreachable extends \RuntimeException
{
    public function __construct(string $message, public readonly bool $isTimeout, public readonly int $attempts)
    {
        parent::__construct("Postern $message (attempt $attempts).");
    }
}

/**
 * Asks one service, over a connection that it keeps. A method has the name of its operation in `openapi.json`. It
 * throws `PosternError` for a refusal and `PosternUnreachable` without an answer.
 * `idempotencyKey` names a write, so that another process may repeat it; otherwise each call makes one, and its retries
 * share it.
 * @phpstan-type Check array{contentId?: string, url?: string, requesterId?: string, permission?: string,
 *   purpose?: string, context?: array<string, string>, explain?: bool, page?: string, dryRun?: bool}
 * @phpstan-type Decision array{id: ?string, allowed: bool, action: string, reason: ?string, message: string,
 *   permissions: list<string>, contentId: ?string, externalId: ?string, url: ?string, requesterId: ?string,
 *   licenseId: ?string, policyId: string, policyVersion: int, enforced: bool, recorded: bool, created: string,
 *   maxAge?: int, remedies?: list<array<string, mixed>>}
 * @phpstan-type Item array{externalId: string, title: string, type: string, source: string, policyId?: ?string,
 *   tags?: list<string>, metadata?: array<string, mixed>}
 */
final class Postern
{
    private const FIRST_PAUSE = 0.2;
    private const LONGEST_PAUSE = 5.0;
    /** A longer Retry-After is returned to the caller as an error. */
    private const LONGEST_WAIT = 30.0;
    private const TEMPORARY = [408, 429, 500, 502, 503, 504];
    private const REPEATABLE = ['GET', 'PUT', 'DELETE'];
    /** The names of objects in bodies. */
    private const OBJECTS = [
        'action', 'attributes', 'attributesNot', 'conditions', 'contentMetadata', 'contentMetadataNot', 'context',
        'extra', 'license', 'licenseExpiry', 'metadata', 'options', 'page', 'policy', 'properties', 'quota',
        'rateLimit', 'requesterMetadata', 'requesterMetadataNot', 'resource', 'scope', 'signals', 'subject', 'terms',
        'time', 'urls', 'visitor', 'x402',
    ];
    /** The names of objects in which the caller chooses the names. */
    private const FREE = [
        'attributes', 'attributesNot', 'contentMetadata', 'contentMetadataNot', 'metadata', 'requesterMetadata',
        'requesterMetadataNot',
    ];

    private readonly string $base;
    private \CurlHandle $curl;

    /**
     * @param float $timeout bounds each attempt, in seconds
     * @param int $retries how many attempts follow the first
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private readonly string $key,
        private readonly float $timeout = 10.0,
        private readonly int $retries = 2,
    ) {
        if (preg_match('~^https?://[^/?#]+~i', $url) !== 1) {
            throw new \InvalidArgumentException("Postern answers at an http or https URL, not $url");
        }
        if (preg_match('~^[\x21-\x7e]+$~D', $key) !== 1) {
            throw new \InvalidArgumentException('A key is one word');
        }
        $this->base = rtrim($url, '/');
        $this->curl = curl_init();
    }

    /**
     * Decides who may have an item or a URL. Let a denied request pass where `enforced` is false.
     * @param Check $check
     * @return Decision
     */
    public function checkAccess(array $check, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/access/check', $check, [], $idempotencyKey);
    }

    /**
     * Decides up to 1,000 checks, in their order. An entry has `error` where its check could not be decided.
     * @param list<Check> $checks
     * @return list<Decision|array{error: array<string, mixed>}>
     */
    public function checkAccessBatch(array $checks, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/access/check/batch', ['checks' => $checks], [], $idempotencyKey)['data'];
    }

    /**
     * Creates the item, or updates the one with its `externalId`.
     * @param Item $item
     * @return array<string, mixed>
     */
    public function upsertContent(array $item, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/content/upsert', $item, [], $idempotencyKey);
    }

    /**
     * Creates or updates up to 1,000 items. `errors` names those that failed.
     * @param list<Item> $items
     * @return array{created: int, updated: int, unchanged: int, failed: int, errors: list<array<string, mixed>>}
     */
    public function bulkUpsertContent(array $items, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/content/bulk-upsert', ['items' => $items], [], $idempotencyKey);
    }

    /**
     * @param array<string, mixed> $requester
     * @return array<string, mixed>
     */
    public function createRequester(array $requester, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/requesters', $requester, [], $idempotencyKey);
    }

    /**
     * Creates a token, with which the requester proves itself. `token` is in this answer alone.
     * @return array{id: string, requesterId: string, name: string, prefix: string, token: string}
     */
    public function createRequesterToken(string $requesterId, string $name, ?string $idempotencyKey = null): array
    {
        $path = '/v1/requesters/' . self::segment($requesterId) . '/tokens';
        return $this->call('POST', $path, ['name' => $name], [], $idempotencyKey);
    }

    /**
     * @param array{requesterId: string, type: string, features?: list<string>, scope?: ?array<string, mixed>,
     *   startsAt?: ?string, expiresAt?: ?string, terms?: ?array<string, mixed>} $license
     * @return array{id: string, requesterId: string, type: string, status: string, valid: bool}
     */
    public function createLicense(array $license, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/licenses', $license, [], $idempotencyKey);
    }

    /** @return array{id: string, requesterId: string, type: string, status: string, valid: bool} */
    public function revokeLicense(string $id, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/licenses/' . self::segment($id) . '/revoke', null, [], $idempotencyKey);
    }

    /**
     * `key` is in this answer alone.
     * @param array{name: string, type: string, mode?: string, permissions?: list<string>, allowedIps?: list<string>,
     *   expiresAt?: ?string} $key
     * @return array{id: string, name: string, type: string, prefix: string, key: string}
     */
    public function createApiKey(array $key, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v1/api-keys', $key, [], $idempotencyKey);
    }

    /** @return array<string, mixed> */
    public function revokeApiKey(string $id): array
    {
        return $this->call('DELETE', '/v1/api-keys/' . self::segment($id));
    }

    /**
     * Counts decisions.
     * @param array<string, string|int|bool> $query such as `['period' => '7d', 'groupBy' => 'day']`
     * @return array<string, mixed>
     */
    public function getUsage(array $query = []): array
    {
        return $this->call('GET', '/v1/analytics/usage', null, $query);
    }

    /**
     * Makes any other call of `openapi.json`.
     * @param ?array<string, mixed> $body
     * @param array<string, string|int|bool> $query
     * @return array<string, mixed>
     */
    public function call(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        ?string $idempotencyKey = null,
    ): array {
        $texts = array_map(fn($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $query);
        $url = $this->base . $path . ($texts === [] ? '' : '?' . http_build_query($texts, '', '&', PHP_QUERY_RFC3986));
        $headers = ['Accept: application/json', "Authorization: Bearer $this->key", 'Expect:'];
        if (!in_array($method, self::REPEATABLE, true)) {
            $headers[] = 'Idempotency-Key: ' . ($idempotencyKey ?? bin2hex(random_bytes(16)));
        }
        $options = [CURLOPT_URL => $url, CURLOPT_CUSTOMREQUEST => $method];
        if ($body !== null) {
            // Elsewhere, `purposes` is a list.
            $objects = [...self::OBJECTS, ...(str_starts_with($path, '/v1/sites/') ? ['purposes'] : [])];
            $value = $body === [] ? new \stdClass() : self::withObjects($body, $objects);
            $options[CURLOPT_POSTFIELDS] = json_encode($value, JSON_THROW_ON_ERROR);
            $headers[] = 'Content-Type: application/json';
        }
        $options[CURLOPT_HTTPHEADER] = $headers;
        for ($made = 1; ; $made++) {
            try {
                return $this->attempt($options, $made);
            } catch (PosternUnreachable | PosternError $error) {
                $wait = self::waitAfter($error);
                if ($made > $this->retries || $wait === null) {
                    throw $error;
                }
            }
            // Random, so that clients that failed together do not retry together.
            $most = min(self::LONGEST_PAUSE, self::FIRST_PAUSE * 2 ** ($made - 1));
            usleep((int) (($wait + $most * mt_rand() / mt_getrandmax()) * 1e6));
        }
    }

    /**
     * Returns the body with an object for each empty array by one of the names: otherwise it would be sent as a list.
     * @param array<mixed> $body
     * @param list<string> $names
     * @return array<mixed>
     */
    private static function withObjects(array $body, array $names): array
    {
        foreach ($body as $name => $value) {
            if ($value === [] && in_array($name, $names, true)) {
                $body[$name] = new \stdClass();
            } elseif (is_array($value) && !in_array($name, self::FREE, true)) {
                $body[$name] = self::withObjects($value, $names);
            }
        }
        return $body;
    }

    /** Returns the seconds before a retry; null where none would help. */
    private static function waitAfter(PosternUnreachable|PosternError $error): ?float
    {
        if ($error instanceof PosternUnreachable) {
            return 0.0;
        }
        $wait = $error->retryAfter ?? 0.0;
        $isInUse = $error->errorCode === 'idempotency_key_in_use';
        $isTemporary = $isInUse || in_array($error->status, self::TEMPORARY, true);
        return $isTemporary && $wait <= self::LONGEST_WAIT ? $wait : null;
    }

    /**
     * @param array<int, mixed> $options
     * @return array<string, mixed>
     */
    private function attempt(array $options, int $made): array
    {
        $received = [];
        // Keeps the connection, and nothing else of the last request.
        curl_reset($this->curl);
        curl_setopt_array($this->curl, $options + [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($this->timeout * 1000)),
            CURLOPT_NOSIGNAL => true,
            // A redirect must not carry the key elsewhere.
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        $text = curl_exec($this->curl);
        if (!is_string($text)) {
            $isTimeout = curl_errno($this->curl) === CURLE_OPERATION_TIMEDOUT;
            $message = $isTimeout ? "did not answer within $this->timeout s" : 'could not be reached';
            throw new PosternUnreachable($message, $isTimeout, $made);
        }
        $status = curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE);
        $value = json_decode($text, true);
        if ($status >= 200 && $status < 300 && is_array($value)) {
            return $value;
        }
        $error = is_array($value) && is_array($value['error'] ?? null) ? $value['error'] : [];
        $wait = self::seconds($received['retry-after'] ?? null);
        throw new PosternError($status, $error, $received['request-id'] ?? null, $wait);
    }

    /** Retry-After is seconds or a date (RFC 9110, 10.2.3). */
    private static function seconds(?string $header): ?float
    {
        $at = $header === null || ctype_digit($header) ? $header : strtotime($header) - time();
        return $at === null ? null : max(0.0, (float) $at);
    }

    /** Returns one segment of a path. Servers would resolve two dots, and reach another record. */
    private static function segment(string $id): string
    {
        $isId = !in_array($id, ['', '.', '..'], true);
        return $isId ? rawurlencode($id) : throw new \InvalidArgumentException("'$id' is no id");
    }
}
