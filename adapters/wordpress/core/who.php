<?php
/**
 * Tells programs from browsers, as the edge adapters do: their tests read one table of cases. Everything is a program
 * that is not plainly a browser or that proves who it is. A program that sends the user agent of a browser looks like
 * one.
 */

namespace Postern;

final class Who {
	/** The product names of browsers, in lowercase. */
	private const PRODUCTS = 'mozilla applewebkit gecko chrome safari mobile version firefox edg edga edgios opr crios fxios '
		. 'samsungbrowser yabrowser yowser duckduckgo ddg silk ucbrowser miuibrowser huaweibrowser gsa instagram';

	/** Comments, which may hold another one; and what an app of Facebook adds. */
	private const COMMENTS = '~\((?:[^()]|\([^()]*\))*\)|\[FB[^[\]]*\]~';
	/** A bot in a comment: what it calls itself, an address, or a product with a version. */
	private const SIGNS      = '~compatible|bot|crawl|spider|proxy|https?:|www\.|[@+]|(?<!build)/\d~i';
	private const LENGTH_MAX = 512;

	/**
	 * Reads the variables of the web server by itself: for a reader, no other file of the plugin is loaded.
	 *
	 * @param array<string, mixed> $server
	 */
	public static function is_program( array $server ): bool {
		return '' !== ( $server['HTTP_SIGNATURE_INPUT'] ?? '' )
			|| self::is_proof( $server['HTTP_AUTHORIZATION'] ?? $server['REDIRECT_HTTP_AUTHORIZATION'] ?? '' )
			|| ! self::is_browser( $server['HTTP_USER_AGENT'] ?? '' );
	}

	/** Tests for the token of a requester, or of a license. */
	private static function is_proof( string $authorization ): bool {
		return 1 === preg_match( '~^(?:bearer +svc_rt_|license\b)~i', $authorization );
	}

	/** Tests for the user agent of a browser: nothing in it is unknown. */
	public static function is_browser( string $agent ): bool {
		if ( strlen( $agent ) > self::LENGTH_MAX || ! preg_match( '~^Mozilla/5\.0 \(.* (?:AppleWebKit|Gecko)/\d~', $agent ) ) {
			return false;
		}
		preg_match_all( self::COMMENTS, $agent, $comments );
		foreach ( $comments[0] as $comment ) {
			if ( '(' === $comment[0] && preg_match( self::SIGNS, $comment ) ) {
				return false;
			}
		}
		$known = array_flip( explode( ' ', self::PRODUCTS ) );
		foreach ( explode( ' ', preg_replace( self::COMMENTS, ' ', $agent ) ) as $product ) {
			if ( '' !== $product && ! isset( $known[ strtolower( explode( '/', $product )[0] ) ] ) ) {
				return false;
			}
		}
		return true;
	}
}
