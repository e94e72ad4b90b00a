<?php
/**
 * Asks before a page cache answers: wp-config.php loads it, so no hook and no database is there yet. The file that the
 * plugin writes has excluded readers before.
 */

namespace Postern;

final class Early {
	/** @param array<string, mixed> $stored The settings, as the plugin wrote them. */
	public static function run( array $stored, string $folder ): void {
		$settings = Settings::read( $stored );
		if ( array() !== Settings::faults( $settings ) ) {
			return;
		}
		$guard = new Guard( $settings, new Visit( $_SERVER ), $folder );
		if ( ! $guard->is_concerned() ) {
			return;
		}
		if ( $guard->claims_account() ) {
			self::skip_page_cache();
			return;
		}
		$guard->enforce();
	}

	/** WordPress verifies the account and decides then: until then, nothing is served from a page cache. */
	private static function skip_page_cache(): void {
		$GLOBALS['wp_filter']['enable_loading_advanced_cache_dropin'][10]['postern'] = array(
			'function'      => fn() => false,
			'accepted_args' => 1,
		);
	}
}
