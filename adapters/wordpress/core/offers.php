<?php
/**
 * Offers in the headers of a denial. Together they have at most 2 KiB: a value that does not fit is left out whole.
 */

namespace Postern;

final class Offers {
	private const BYTES_MAX = 2048;
	/** Currencies without a minor unit, or with one of three digits; others have two. */
	private const DIGITS = array( 'BIF' => 0, 'CLP' => 0, 'ISK' => 0, 'JPY' => 0, 'KRW' => 0, 'PYG' => 0, 'VND' => 0, 'XAF' => 0, 'XOF' => 0, 'XPF' => 0, 'BHD' => 3, 'JOD' => 3, 'KWD' => 3, 'OMR' => 3, 'TND' => 3 );

	/**
	 * Returns the offers of all remedies, each once.
	 *
	 * @param array<string, mixed> $decision
	 * @return array<int, array<string, mixed>>
	 */
	public static function in( array $decision ): array {
		$found = array();
		foreach ( $decision['remedies'] ?? array() as $remedy ) {
			foreach ( $remedy['offers'] ?? array() as $offer ) {
				$found[ $offer['licenseType'] ] = $offer;
			}
		}
		return array_values( $found );
	}

	/** @param array<int, array<string, mixed>> $offers */
	public static function page( array $offers ): ?string {
		return array_values( array_filter( array_column( $offers, 'url' ) ) )[0] ?? null;
	}

	/**
	 * @param array<int, array<string, mixed>> $offers
	 * @return array<string, string>
	 */
	public static function headers( array $offers, string $url ): array {
		$headers = array();
		$left    = self::BYTES_MAX;
		$add     = function ( string $name, ?string $value ) use ( &$headers, &$left ): bool {
			$bytes = strlen( $name . $value ) + 4;
			if ( null === $value || $bytes > $left || preg_match( '~[^\x20-\x7e]~', $value ) ) {
				return false;
			}
			$headers[ $name ] = $value;
			$left            -= $bytes;
			return true;
		};
		foreach ( $offers as $offer ) {
			if ( 'decision' === ( $offer['unit'] ?? '' ) && $add( 'crawler-price', self::amount( $offer ) ) ) {
				break;
			}
		}
		$page = self::page( $offers );
		$add( 'link', null === $page ? null : "<$page>; rel=\"license\"" );
		$accepts = array_merge( array(), ...array_map( fn( $offer ) => $offer['x402'] ?? array(), $offers ) );
		for ( $count = count( $accepts ); $count > 0; $count-- ) {
			$terms = array( 'x402Version' => 2, 'error' => 'License required', 'resource' => array( 'url' => $url ), 'accepts' => array_slice( $accepts, 0, $count ) );
			if ( $add( 'payment-required', base64_encode( json_encode( $terms, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE ) ) ) ) {
				break;
			}
		}
		return $headers;
	}

	/**
	 * Returns the price of a unit, such as `USD 0.005`; null: on request.
	 *
	 * @param array<string, mixed> $offer
	 */
	public static function amount( array $offer ): ?string {
		if ( ! isset( $offer['unitPriceMicros'], $offer['currency'] ) ) {
			return null;
		}
		$digits   = self::DIGITS[ $offer['currency'] ] ?? 2;
		$text     = str_pad( (string) $offer['unitPriceMicros'], 7, '0', STR_PAD_LEFT );
		$fraction = substr( $text, -6 );
		$shown    = substr( $fraction, 0, $digits ) . rtrim( substr( $fraction, $digits ), '0' );
		return $offer['currency'] . ' ' . substr( $text, 0, -6 ) . ( '' === $shown ? '' : ".$shown" );
	}
}
