<?php
/**
 * The answer to a visitor. Promise: a denial shows by status, `Retry-After` and remedies what would help, and nothing of
 * the rules. Statuses, headers and bodies are those of the guards of the TypeScript client.
 */

namespace Postern;

final class Verdict {
	public bool $allowed;
	public int $status;
	/** @var array<string, string> */
	public array $headers;
	/** @var array<string, mixed>|null Problem details of a refusal. */
	public ?array $problem;
	/** The externalId of the item that was decided about. */
	public ?string $item;

	public const PHRASES = array(
		401 => 'Unauthorized',
		402 => 'Payment Required',
		403 => 'Forbidden',
		429 => 'Too Many Requests',
		503 => 'Service Unavailable',
	);
	/** A cache in front would give the page to visitors that are denied. */
	private const UNSHARED = array( 'cache-control' => 'private', 'vary' => 'Authorization, Signature, User-Agent' );
	/** A signature that would be verified (RFC 9421, 5.1). */
	private const ACCEPT_SIGNATURE = 'sig1=("@authority" "signature-agent");created;expires;keyid;tag="web-bot-auth"';
	/** The problem type of draft-ietf-httpapi-ratelimit-headers-11. */
	private const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
	/** Lengths of rolling periods, in seconds; a calendar period has none. */
	private const LENGTHS = array( 'second' => 1, 'minute' => 60, 'hour' => 3600 );

	/**
	 * @param array<string, string> $headers
	 * @param array<string, mixed>|null $problem
	 */
	private function __construct( bool $allowed, int $status, array $headers, ?array $problem, ?string $item = null ) {
		$this->allowed = $allowed;
		$this->status  = $status;
		$this->headers = $headers;
		$this->problem = $problem;
		$this->item    = $item;
	}

	/** Allows what is never refused. */
	public static function free(): self {
		return new self( true, 200, array(), null );
	}

	/** Allows without a decision: no item, or no answer. */
	public static function allowed_without( string $why ): self {
		return new self( true, 200, self::UNSHARED + array( 'x-postern-error' => $why ), null );
	}

	public static function refused_without(): self {
		return self::refused( 503, 'no_decision', 'Access cannot be decided now.', array( 'retry-after' => '1' ) );
	}

	/**
	 * @param array<string, mixed> $answer A decision or an error, as `/v1/access/check` answers.
	 * @param string $unknown The answer for content that Postern does not know: deny or allow.
	 */
	public static function from( array $answer, Visit $visit, string $url, string $unknown ): self {
		if ( isset( $answer['error'] ) ) {
			return self::from_error( $answer['error'], $visit, $unknown );
		}
		if ( $visit->is_read() && true === ( $answer['signals']['free'] ?? false ) ) {
			return self::free();
		}
		$headers  = self::decision_headers( $answer );
		$item     = $answer['externalId'] ?? null;
		$observed = ! $answer['allowed'] && false === ( $answer['enforced'] ?? true );
		if ( $answer['allowed'] || $observed ) {
			$would   = $observed ? array( 'x-postern-would' => 'deny' ) : array();
			$headers = self::UNSHARED + $would + (array) ( $answer['signals']['headers'] ?? array() ) + $headers;
			return new self( true, 200, $headers, null, $item );
		}
		return self::from_denial( $answer, $headers, $url );
	}

	/** @param array<string, mixed> $error */
	private static function from_error( array $error, Visit $visit, string $unknown ): self {
		if ( 'content_not_found' === $error['code'] ) {
			return 'allow' === $unknown
				? self::allowed_without( 'content_unknown' )
				: self::refused( 403, 'content_unknown', 'This content is not registered.' );
		}
		if ( 'invalid_token' === $error['code'] ) {
			// A token is sent on only with one of its two schemes.
			preg_match( '/^\w*/', $visit->header( 'Authorization' ) ?? '', $scheme );
			$headers = array( 'www-authenticate' => "$scheme[0] error=\"invalid_token\"" );
			// The file names the server that has new tokens.
			if ( 0 === stripos( $scheme[0], 'l' ) ) {
				$headers['link'] = '</license.xml>; rel="license"; type="application/rsl+xml"';
			}
			return self::refused( 401, 'invalid_token', (string) $error['message'], $headers );
		}
		return self::refused( 403, 'refused_question', 'The check was refused.' );
	}

	/**
	 * @param array<string, mixed> $decision
	 * @param array<string, string> $headers
	 */
	private static function from_denial( array $decision, array $headers, string $url ): self {
		$offers   = Offers::in( $decision );
		$status   = self::status( $decision, $offers );
		$headers += Offers::headers( $offers, $url ) + self::retry_headers( $decision );
		$link     = $decision['signals']['denialHeaders']['link'] ?? null;
		if ( null !== $link ) {
			$headers['link'] = isset( $headers['link'] ) ? "$link, {$headers['link']}" : $link;
		}
		$challenge = $decision['signals']['denialHeaders']['www-authenticate'] ?? ( 401 === $status ? 'Bearer' : null );
		if ( null !== $challenge ) {
			$headers['www-authenticate'] = $challenge;
		}
		if ( self::could_sign( $decision ) ) {
			$headers['accept-signature'] = self::ACCEPT_SIGNATURE;
		}
		$reason  = (string) ( $decision['reason'] ?? 'policy_denied' );
		$verdict = self::refused( $status, $reason, (string) $decision['message'], $headers );
		if ( 429 === $status ) {
			$violated = 'quota_exceeded' === $reason ? 'license' : 'access';
			$quota    = array( 'type' => self::QUOTA_EXCEEDED, 'title' => 'Quota exceeded', 'violated-policies' => array( $violated ) );
			$verdict->problem = $quota + $verdict->problem;
		}
		$verdict->problem['remedies'] = array_map( array( self::class, 'remedy' ), $decision['remedies'] ?? array() );
		$page = $decision['signals']['licensingUrl'] ?? Offers::page( $offers );
		$verdict->problem += array_filter( array( 'licensingUrl' => $page, 'decisionId' => $decision['id'] ), 'is_string' );
		$verdict->item = $decision['externalId'] ?? null;
		return $verdict;
	}

	/** @param array<string, string> $headers */
	private static function refused( int $status, string $reason, string $detail, array $headers = array() ): self {
		$problem = array(
			'title'    => self::PHRASES[ $status ],
			'status'   => $status,
			'detail'   => $detail,
			'reason'   => $reason,
			'remedies' => array(),
		);
		$never   = array( 'cache-control' => 'no-store', 'vary' => 'Accept', 'x-litespeed-cache-control' => 'no-cache' );
		return new self( false, $status, $never + $headers, $problem );
	}

	/**
	 * @param array<string, mixed> $decision
	 * @param array<int, array<string, mixed>> $offers
	 */
	private static function status( array $decision, array $offers ): int {
		$reason = $decision['reason'] ?? null;
		// A quota for the whole license never begins again.
		if ( 'rate_limit_exceeded' === $reason || ( 'quota_exceeded' === $reason && isset( $decision['quota']['resetAt'] ) ) ) {
			return 429;
		}
		if ( array() !== $offers ) {
			return 402;
		}
		return 'no_license' === $reason && null === ( $decision['requesterId'] ?? null ) ? 401 : 403;
	}

	/** @param array<string, mixed> $decision After a false claim, no signature is asked for. */
	private static function could_sign( array $decision ): bool {
		foreach ( empty( $decision['spoofed'] ) ? $decision['remedies'] ?? array() : array() as $remedy ) {
			if ( 'verification' === $remedy['kind'] && in_array( 'signature', $remedy['verified'], true ) ) {
				return true;
			}
		}
		return false;
	}

	private static function seconds_to( string $reset, string $created ): int {
		$exact = fn( string $time ): float => (float) ( new \DateTimeImmutable( $time ) )->format( 'U.u' );
		return max( 1, (int) ceil( $exact( $reset ) - $exact( $created ) ) );
	}

	/**
	 * @param array<string, mixed> $decision
	 * @return array<string, string>
	 */
	private static function retry_headers( array $decision ): array {
		$reset   = 'quota_exceeded' === ( $decision['reason'] ?? null ) ? $decision['quota']['resetAt'] ?? null : null;
		$seconds = null === $reset
			? $decision['rateLimit']['retryAfter'] ?? null
			: self::seconds_to( $reset, $decision['created'] );
		return null === $seconds ? array() : array( 'retry-after' => (string) $seconds );
	}

	/**
	 * @param array<string, mixed> $decision
	 * @return array<string, string>
	 */
	private static function decision_headers( array $decision ): array {
		$headers = isset( $decision['reason'] )
			? array( 'x-postern-reason' => $decision['reason'] )
			: array( 'x-postern-permissions' => implode( ',', $decision['permissions'] ) );
		if ( isset( $decision['id'] ) ) {
			$headers['x-postern-decision'] = $decision['id'];
		}
		$policies = array();
		$states   = array();
		$limit    = $decision['rateLimit'] ?? null;
		if ( null !== $limit ) {
			$length     = self::LENGTHS[ $limit['period'] ] ?? PHP_INT_MAX;
			$policies[] = "\"access\";q={$limit['limit']}" . ( PHP_INT_MAX === $length ? '' : ";w=$length" );
			$states[]   = "\"access\";r={$limit['remaining']};t=" . min( $length, self::seconds_to( $limit['resetAt'], $decision['created'] ) );
			$headers   += array( 'x-postern-limit' => (string) $limit['limit'], 'x-postern-remaining' => (string) $limit['remaining'] );
		}
		$quota = $decision['quota'] ?? null;
		if ( null !== $quota ) {
			$policies[] = "\"license\";q={$quota['units']}";
			$states[]   = "\"license\";r={$quota['remaining']}"
				. ( isset( $quota['resetAt'] ) ? ';t=' . self::seconds_to( $quota['resetAt'], $decision['created'] ) : '' );
		}
		return array() === $policies
			? $headers
			: $headers + array( 'ratelimit-policy' => implode( ', ', $policies ), 'ratelimit' => implode( ', ', $states ) );
	}

	/**
	 * Omits the index of the rule and the id of the license, which visitors must not see.
	 *
	 * @param array<string, mixed> $remedy
	 * @return array<string, mixed>
	 */
	private static function remedy( array $remedy ): array {
		if ( 'amend' === $remedy['kind'] ) {
			return array( 'kind' => 'amend' );
		}
		unset( $remedy['rule'] );
		return $remedy;
	}
}
