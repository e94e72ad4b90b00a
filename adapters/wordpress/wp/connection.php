<?php
/** Requests of the plugin itself, beside the visits: items, decisions, and the test of the connection. */

namespace Postern;

final class Unsent extends \Exception {}

final class Connection {
	private const TIMEOUT_S = 30;

	public static function can_edit(): bool {
		return '' !== Plugin::settings()['content_key'] && '' !== Plugin::settings()['url'];
	}

	/**
	 * Returns the body of the answer. Throws Unsent without an answer, and for each error but those with a code in `$fine`.
	 *
	 * @param array<string, mixed>|null $body
	 * @param string[] $fine
	 * @return array<string, mixed>
	 */
	public static function request( string $method, string $path, ?array $body = null, array $fine = array() ): array {
		[ $status, $answer ] = self::send( (string) Plugin::settings()['content_key'], $method, $path, $body );
		if ( $status >= 200 && $status < 300 || in_array( $answer['error']['code'] ?? null, $fine, true ) ) {
			return $answer;
		}
		throw new Unsent( (string) ( $answer['error']['message'] ?? "Postern answered with status $status." ) );
	}

	/**
	 * @param array<string, mixed>|null $body
	 * @return array{int, array<string, mixed>}
	 */
	private static function send( string $key, string $method, string $path, ?array $body ): array {
		$headers  = array( 'Authorization' => "Bearer $key" ) + ( null === $body ? array() : array( 'Content-Type' => 'application/json' ) );
		// The address may be a private one, which the safe functions refuse.
		$response = wp_remote_request( rtrim( Plugin::settings()['url'], '/' ) . $path, array(
			'method'      => $method,
			'headers'     => $headers,
			'body'        => null === $body ? null : wp_json_encode( $body, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE ),
			'timeout'     => self::TIMEOUT_S,
			'redirection' => 0,
		) );
		if ( is_wp_error( $response ) ) {
			throw new Unsent( self::explain( $response->get_error_message() ) );
		}
		$answer = json_decode( wp_remote_retrieve_body( $response ), true );
		return array( (int) wp_remote_retrieve_response_code( $response ), is_array( $answer ) ? $answer : array() );
	}

	private static function explain( string $error ): string {
		if ( preg_match( '~resolve host~i', $error ) ) {
			/* translators: %s: the error */
			return sprintf( __( 'The name of the host cannot be resolved: check the address. (%s)', 'postern' ), $error );
		}
		if ( preg_match( '~ssl|certificate~i', $error ) ) {
			/* translators: %s: the error */
			return sprintf( __( 'The certificate of Postern is not accepted. (%s)', 'postern' ), $error );
		}
		/* translators: %s: the error */
		return sprintf( __( 'Postern cannot be reached. (%s)', 'postern' ), $error );
	}

	/**
	 * Tries each thing that the plugin needs, and creates nothing. Returns a sentence for each, and whether it is fine.
	 *
	 * @return array<int, array{bool, string}>
	 */
	public static function test(): array {
		$settings = Plugin::settings();
		try {
			$check = array( 'url' => home_url( '/' ), 'dryRun' => true );
			[ $status, $answer ] = self::send( (string) $settings['key'], 'POST', '/v1/access/check', $check );
		} catch ( Unsent $error ) {
			return array( array( false, $error->getMessage() ) );
		}
		$found = array( self::judge_check( $status, $answer ) );
		if ( '' !== $settings['content_key'] ) {
			$found[] = self::judge_content_key();
		}
		return $found;
	}

	/**
	 * @param array<string, mixed> $answer
	 * @return array{bool, string}
	 */
	private static function judge_check( int $status, array $answer ): array {
		if ( 200 === $status && isset( $answer['allowed'] ) ) {
			return array( true, __( 'Postern answers, and a policy covers this site.', 'postern' ) );
		}
		$code = $answer['error']['code'] ?? '';
		if ( 'content_not_found' === $code ) {
			/* translators: %s: a host name */
			return array( false, sprintf( __( 'The key is valid, but Postern has no collection for %s: make one.', 'postern' ), (string) wp_parse_url( home_url(), PHP_URL_HOST ) ) );
		}
		if ( '' === $code ) {
			/* translators: %d: an HTTP status */
			return array( false, sprintf( __( 'What answers at this address is not Postern (status %d).', 'postern' ), $status ) );
		}
		return array( false, __( 'The key for checks:', 'postern' ) . ' ' . $answer['error']['message'] );
	}

	/** @return array{bool, string} */
	private static function judge_content_key(): array {
		try {
			// No item: refused for the body exactly where the key would be good enough.
			[ $status, $answer ] = self::send( (string) Plugin::settings()['content_key'], 'POST', '/v1/content/bulk-upsert', array( 'items' => array() ) );
		} catch ( Unsent $error ) {
			return array( false, $error->getMessage() );
		}
		return 400 === $status
			? array( true, __( 'The key for content may register posts.', 'postern' ) )
			: array( false, __( 'The key for content:', 'postern' ) . ' ' . ( $answer['error']['message'] ?? $status ) );
	}
}
