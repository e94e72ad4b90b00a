<?php
/** The settings: constants of wp-config.php precede those of the settings page. */

namespace Postern;

final class Settings {
	/** The first value of each setting, by its name in the option. The constant is `POSTERN_` and the name. */
	public const FIRST = array(
		'url'          => '',
		'key'          => '',
		'content_key'  => '',
		'origin'       => '',
		'ask'          => '',
		'on_error'     => '',
		'mode'         => 'observe',
		'unknown'      => 'deny',
		'timeout_ms'   => 500,
		'robots'       => 'append',
		'ip'           => true,
		'country'      => true,
		'proxy'        => 'none',
		'proxies'      => array(),
		'proxy_secret' => '',
		'items'        => true,
	);

	public const CHOICES = array(
		'ask'      => array( 'programs', 'everyone' ),
		'on_error' => array( 'deny', 'allow' ),
		'mode'     => array( 'observe', 'enforce', 'off' ),
		'unknown'  => array( 'deny', 'allow' ),
		'robots'   => array( 'append', 'replace', 'off' ),
		'proxy'    => array( 'none', 'cloudflare', 'fastly', 'cloudfront', 'custom' ),
	);

	public static function constant( string $name ): string {
		return 'POSTERN_' . strtoupper( $name );
	}

	/**
	 * Returns all settings.
	 *
	 * @param array<string, mixed> $stored
	 * @return array<string, mixed>
	 */
	public static function read( array $stored ): array {
		$settings = array_intersect_key( $stored, self::FIRST ) + self::FIRST;
		foreach ( array_keys( self::FIRST ) as $name ) {
			if ( defined( self::constant( $name ) ) ) {
				$settings[ $name ] = constant( self::constant( $name ) );
			}
		}
		if ( is_string( $settings['proxies'] ) ) {
			$settings['proxies'] = preg_split( '~[\s,]+~', $settings['proxies'], -1, PREG_SPLIT_NO_EMPTY );
		}
		return $settings;
	}

	/**
	 * Returns a sentence for each setting that is missing or invalid, by its name. With one, nothing is asked.
	 *
	 * @param array<string, mixed> $settings
	 * @return array<string, string>
	 */
	public static function faults( array $settings ): array {
		$faults = array();
		if ( ! is_string( $settings['url'] ) || ! preg_match( '~^https?://[^/?#\s@\\\\]+(/[^?#\s]*)?$~Di', $settings['url'] ) ) {
			$faults['url'] = 'POSTERN_URL must be the address of Postern, such as https://postern.example.com.';
		}
		if ( ! is_string( $settings['key'] ) || ! preg_match( '~^svc_sk_\w+$~D', $settings['key'] ) ) {
			$faults['key'] = 'POSTERN_KEY must be a secret key (svc_sk_…): a public key records nothing.';
		}
		foreach ( self::CHOICES as $name => $choices ) {
			if ( ! in_array( $settings[ $name ], $choices, true ) ) {
				$faults[ $name ] = self::constant( $name ) . ' must be one of ' . implode( ', ', $choices ) . '.';
			}
		}
		if ( ! is_numeric( $settings['timeout_ms'] ) || $settings['timeout_ms'] < 10 || $settings['timeout_ms'] > 10000 ) {
			$faults['timeout_ms'] = 'POSTERN_TIMEOUT_MS must be between 10 and 10000.';
		}
		if ( ! preg_match( '~^https?://[^/?#\s@\\\\]+$~Di', (string) $settings['origin'] ) ) {
			$faults['origin'] = 'POSTERN_ORIGIN must be the origin of this site, such as https://www.example.com.';
		}
		return $faults + self::proxy_faults( $settings );
	}

	/**
	 * @param array<string, mixed> $settings
	 * @return array<string, string>
	 */
	private static function proxy_faults( array $settings ): array {
		foreach ( $settings['proxies'] as $range ) {
			if ( ! Address::is_range( (string) $range ) ) {
				return array( 'proxies' => "POSTERN_PROXIES has $range, which is no address and no CIDR range." );
			}
		}
		if ( 'custom' === $settings['proxy'] && array() === $settings['proxies'] ) {
			return array( 'proxies' => 'POSTERN_PROXIES must name your proxies, such as 10.0.0.0/8.' );
		}
		if ( in_array( $settings['proxy'], array( 'fastly', 'cloudfront' ), true ) && strlen( (string) $settings['proxy_secret'] ) < 16 ) {
			return array( 'proxy_secret' => 'POSTERN_PROXY_SECRET must have at least 16 characters.' );
		}
		return array();
	}
}
