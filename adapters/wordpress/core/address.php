<?php
/**
 * The address and the country of a visitor. Promise: a header that the visitor can send changes neither. A header
 * counts only from a proxy that the settings name, or beside the secret that this proxy adds.
 */

namespace Postern;

final class Address {
	/** The published ranges of Cloudflare, as of November 2026: https://www.cloudflare.com/ips/ */
	private const CLOUDFLARE = array(
		'173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18', '108.162.192.0/18',
		'190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17', '162.158.0.0/15', '104.16.0.0/13',
		'104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22', '2400:cb00::/32', '2606:4700::/32', '2803:f800::/32',
		'2405:b500::/32', '2405:8100::/32', '2a06:98c0::/29', '2c0f:f248::/32',
	);

	/**
	 * Headers that a CDN sets. The ranges of Cloudflare prove its header, which it always overwrites. Fastly and
	 * CloudFront share their ranges among all customers, so a secret header proves theirs.
	 */
	private const PRESETS = array(
		'cloudflare' => array( 'ip' => 'CF-Connecting-IP', 'country' => 'CF-IPCountry' ),
		'fastly'     => array( 'ip' => 'Fastly-Client-IP', 'country' => null ),
		'cloudfront' => array( 'ip' => 'CloudFront-Viewer-Address', 'country' => 'CloudFront-Viewer-Country' ),
	);

	public const SECRET_HEADER = 'X-Postern-Proxy';

	/**
	 * Returns `ip` and `country` for the context of a check. `ipUnreadable` replaces an address that a trusted proxy
	 * sent in an unknown form.
	 *
	 * @param array<string, mixed> $settings
	 * @return array<string, mixed>
	 */
	public static function context( Visit $visit, array $settings ): array {
		$proxy = (string) $settings['proxy'];
		if ( 'none' === $proxy || ! self::is_trusted( $visit, $settings ) ) {
			return self::of( $visit->peer() );
		}
		if ( 'custom' === $proxy ) {
			return self::of_chain( $visit, $settings['proxies'] );
		}
		$preset = self::PRESETS[ $proxy ];
		$sent   = $visit->header( $preset['ip'] );
		if ( null === $sent ) {
			return self::of( $visit->peer() );
		}
		if ( 'cloudfront' === $proxy ) {
			// It appends the port of an IPv6 address without brackets.
			$sent = preg_replace( '~:\d+$~D', '', $sent );
		}
		$country = null === $preset['country'] ? '' : (string) $visit->header( $preset['country'] );
		// Cloudflare writes XX where it does not know, and T1 for Tor.
		$known = preg_match( '~^[A-Z]{2}$~D', $country ) && 'XX' !== $country;
		return self::of( $sent ) + ( $known ? array( 'country' => $country ) : array() );
	}

	/** @param array<string, mixed> $settings */
	private static function is_trusted( Visit $visit, array $settings ): bool {
		if ( 'cloudflare' === $settings['proxy'] ) {
			return self::is_within( $visit->peer(), array_merge( self::CLOUDFLARE, $settings['proxies'] ) );
		}
		if ( 'custom' === $settings['proxy'] ) {
			return self::is_within( $visit->peer(), $settings['proxies'] );
		}
		$secret = (string) $settings['proxy_secret'];
		return '' !== $secret && hash_equals( $secret, (string) $visit->header( self::SECRET_HEADER ) );
	}

	/**
	 * Walks X-Forwarded-For from the right, past the trusted proxies.
	 *
	 * @param string[] $proxies
	 * @return array<string, mixed>
	 */
	private static function of_chain( Visit $visit, array $proxies ): array {
		$entries = array_reverse( array_map( 'trim', explode( ',', (string) $visit->header( 'X-Forwarded-For' ) ) ) );
		foreach ( $entries as $entry ) {
			if ( '' === $entry ) {
				continue;
			}
			$context = self::of( $entry );
			if ( ! isset( $context['ip'] ) || ! self::is_within( $context['ip'], $proxies ) ) {
				return $context;
			}
		}
		return self::of( $visit->peer() );
	}

	/** @return array<string, mixed> */
	private static function of( string $text ): array {
		// Ports, brackets and zones come with some proxies.
		$bare = preg_replace( array( '~^\[([^\]]*)\](?::\d+)?$~', '~^(\d+\.\d+\.\d+\.\d+):\d+$~', '~%\w+$~' ), '$1', trim( $text ) );
		if ( false !== filter_var( $bare, FILTER_VALIDATE_IP ) ) {
			return array( 'ip' => $bare );
		}
		return '' === $bare ? array() : array( 'ipUnreadable' => true );
	}

	/** @param string[] $ranges Addresses and CIDR ranges. */
	public static function is_within( string $ip, array $ranges ): bool {
		$packed = @inet_pton( $ip );
		foreach ( false === $packed ? array() : $ranges as $range ) {
			[ $network, $bits ] = explode( '/', $range, 2 ) + array( 1 => null );
			$base               = @inet_pton( $network );
			if ( false === $base || strlen( $base ) !== strlen( $packed ) ) {
				continue;
			}
			$bits  = null === $bits ? 8 * strlen( $base ) : (int) $bits;
			$whole = intdiv( $bits, 8 );
			$mask  = 0xff & ( 0xff00 >> ( $bits % 8 ) );
			$same  = substr( $base, 0, $whole ) === substr( $packed, 0, $whole );
			if ( $same && ( 0 === $mask || ( ord( $base[ $whole ] ) & $mask ) === ( ord( $packed[ $whole ] ) & $mask ) ) ) {
				return true;
			}
		}
		return false;
	}

	/** Tests for an address or a CIDR range that is not the whole internet. */
	public static function is_range( string $text ): bool {
		if ( ! preg_match( '~^([0-9a-f:.]+)(?:/(\d{1,3}))?$~iD', $text, $parts ) ) {
			return false;
		}
		$packed = @inet_pton( $parts[1] );
		return false !== $packed && ( ! isset( $parts[2] ) || ( $parts[2] >= 1 && $parts[2] <= 8 * strlen( $packed ) ) );
	}
}
