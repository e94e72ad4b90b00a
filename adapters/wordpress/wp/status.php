<?php
/**
 * Says to an operator how the plugin is set up and whether it reaches Postern: GET /.well-known/postern. Promise: only a
 * caller with a proof of this plugin's key, for this host and made some minutes ago at most, learns anything. To all
 * others WordPress answers, as if this were not here.
 */

namespace Postern;

final class Status {
	private const VERSION    = '0.1.0';
	private const PATH       = '/.well-known/postern';
	private const PROOF_S    = 300;
	private const CODES_MAX  = 16;
	private const REASON_MAX = 300;

	/** Ends the request where the visit has a proof. */
	public static function serve( Visit $visit, string $proof ): void {
		$settings = Plugin::settings();
		if ( 'GET' !== $visit->method || self::PATH !== $visit->path || ! self::is_proven( $settings, $proof ) ) {
			return;
		}
		$faults  = Plugin::faults();
		$failure = array() === $faults ? ( new Service( $settings, null ) )->failure() : implode( ' ', $faults );
		$status  = array(
			'adapter'   => 'wordpress',
			'version'   => self::VERSION,
			'mode'      => array() === $faults ? $settings['mode'] : 'off',
			'ask'       => $settings['ask'],
			'onError'   => $settings['on_error'],
			'unknown'   => $settings['unknown'],
			'timeoutMs' => (int) $settings['timeout_ms'],
			'failure'   => null === $failure ? null : substr( $failure, 0, self::REASON_MAX ),
		);
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		status_header( 200 );
		header( 'Content-Type: application/json' );
		header( 'Cache-Control: no-store' );
		echo wp_json_encode( $status, JSON_INVALID_UTF8_SUBSTITUTE );
		exit;
	}

	/**
	 * Tests a proof: its time in seconds and codes in hexadecimal, with dots between. Postern keeps only the hash of a
	 * key.
	 *
	 * @param array<string, mixed> $settings
	 */
	private static function is_proven( array $settings, string $proof ): bool {
		$key   = is_string( $settings['key'] ) ? $settings['key'] : '';
		$codes = array_slice( explode( '.', $proof, self::CODES_MAX + 2 ), 0, self::CODES_MAX + 1 );
		$time  = array_shift( $codes );
		if ( '' === $key || ! preg_match( '~^\d{1,12}$~D', $time ) || abs( time() - (int) $time ) >= self::PROOF_S ) {
			return false;
		}
		$host = strtolower( preg_replace( '~^https?://~i', '', (string) $settings['origin'] ) );
		$own  = hash_hmac( 'sha256', "postern-status $host $time", hash( 'sha256', $key, true ) );
		foreach ( $codes as $code ) {
			if ( hash_equals( $own, $code ) ) {
				return true;
			}
		}
		return false;
	}
}
