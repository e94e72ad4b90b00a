<?php
/** The body of a refusal: problem details (RFC 9457), or a small page for visitors whose `Accept` prefers one. */

namespace Postern;

final class Page {
	private const STYLE = ':root{color-scheme:light dark}'
		. 'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere;'
		. 'color:#1a1a1a;background:#fff}h1{font-size:1.5rem}p.quote{color:#5c5c5c;font-size:.85rem}'
		. '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}p.quote{color:#aaa}}';
	private const HEADINGS = array(
		401 => 'Authentication required',
		402 => 'License required',
		403 => 'Access denied',
		429 => 'Too many requests',
		503 => 'Access cannot be decided now',
	);
	private const PROOFS = array(
		'token'     => 'send your token',
		'signature' => 'sign your requests',
		'ip'        => 'ask from your published addresses',
		'dns'       => 'ask from an address with one of your host names',
		'license'   => 'send a License token',
	);
	private const PER = array( 'decision' => 'per access', 'month' => 'per month', 'year' => 'per year' );

	/**
	 * Returns the content type and the body.
	 *
	 * @param array<string, mixed> $problem
	 * @return array{string, string}
	 */
	public static function body( array $problem, ?string $accept ): array {
		return self::prefers_page( (string) $accept )
			? array( 'text/html; charset=utf-8', self::html( $problem ) )
			: array( 'application/problem+json', json_encode( $problem, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE ) );
	}

	/** @param array<string, mixed> $problem */
	private static function html( array $problem ): string {
		$title = self::HEADINGS[ $problem['status'] ];
		$steps = '';
		foreach ( $problem['remedies'] as $remedy ) {
			$steps .= '<li>' . self::escape( self::sentence( $remedy ) ) . self::offers( $remedy ) . '</li>';
		}
		$page  = $problem['licensingUrl'] ?? null;
		$quote = $problem['decisionId'] ?? null;
		return '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
			. "<meta name=\"robots\" content=\"noindex\"><title>$title</title><style>" . self::STYLE . '</style>'
			. "<h1>$title</h1><p>" . self::escape( $problem['detail'] ) . '</p>'
			. ( '' === $steps ? '' : "<p>This would help:</p><ul>$steps</ul>" )
			. ( null === $page ? '' : '<p><a href="' . self::escape( $page ) . '">About licenses</a></p>' )
			. ( null === $quote ? '' : '<p class="quote">Quote this when you write to the publisher: ' . self::escape( $quote ) . '</p>' );
	}

	/** @param array<string, mixed> $remedy */
	private static function sentence( array $remedy ): string {
		switch ( $remedy['kind'] ) {
			case 'wait':
				$seconds = (int) ceil( (float) ( new \DateTimeImmutable( $remedy['until'] ) )->format( 'U.u' ) );
				return 'Ask again after ' . gmdate( 'Y-m-d H:i:s', $seconds ) . ' UTC.';
			case 'permission':
				return 'Ask for another permission: ' . implode( ', ', $remedy['permissions'] ) . '.';
			case 'verification':
				$ways = array_map( fn( $kind ) => self::PROOFS[ $kind ] ?? $kind, $remedy['verified'] );
				return 'Prove who you are: ' . implode( ', or ', $ways ) . '.';
			case 'amend':
				return 'Have your license amended.';
		}
		$type     = isset( $remedy['licenseType'] ) ? 'A license of the type ' . implode( ' or ', $remedy['licenseType'] ) : 'A license';
		$features = $remedy['licenseFeatures'] ?? array();
		return $type . ( array() === $features ? '.' : ' with ' . implode( ', ', $features ) . '.' );
	}

	/** @param array<string, mixed> $remedy */
	private static function offers( array $remedy ): string {
		$entries = '';
		foreach ( $remedy['offers'] ?? array() as $offer ) {
			$amount   = Offers::amount( $offer );
			$price    = null === $amount ? 'price on request' : $amount . ' ' . ( self::PER[ $offer['unit'] ] ?? '' );
			$contact  = self::escape( $offer['contact'] ?? '' );
			$page     = self::escape( $offer['url'] ?? '' );
			$entries .= '<li>' . self::escape( $offer['licenseType'] . ": $price." )
				. ( '' === $contact ? '' : " <a href=\"mailto:$contact\">$contact</a>" )
				. ( '' === $page ? '' : " <a href=\"$page\">About this license</a>" ) . '</li>';
		}
		return '' === $entries ? '' : "<ul>$entries</ul>";
	}

	private static function escape( string $text ): string {
		return htmlspecialchars( $text, ENT_QUOTES | ENT_SUBSTITUTE );
	}

	/** Browsers prefer a page (RFC 9110, 12.5.1); programs that accept anything do not. */
	private static function prefers_page( string $accept ): bool {
		$weights = array();
		foreach ( explode( ',', strtolower( $accept ) ) as $range ) {
			$parts = array_map( 'trim', explode( ';', $range ) );
			$type  = array_shift( $parts );
			$given = array_values( preg_grep( '~^q=~', $parts ) )[0] ?? 'q=1';
			$weights += array( $type => (float) substr( $given, 2 ) );
		}
		$any  = $weights['*/*'] ?? 0.0;
		$html = $weights['text/html'] ?? $weights['text/*'] ?? $any;
		return $html > 0 && $html > ( $weights['application/problem+json'] ?? $weights['application/*'] ?? $any );
	}
}
