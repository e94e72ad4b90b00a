<?php
/** Writes the file that wp-config.php loads, with the settings in it. */

namespace Postern;

final class EarlyLoader {
	public static function file(): string {
		return Plugin::folder() . '/early.php';
	}

	/** The line for wp-config.php. It does nothing once the file is gone. */
	public static function line(): string {
		$file = var_export( self::file(), true );
		return "if ( is_file( $file ) ) { include $file; } // Postern";
	}

	public static function is_written(): bool {
		return is_file( self::file() );
	}

	public static function is_loaded(): bool {
		return defined( 'POSTERN_EARLY' );
	}

	/** Returns whether the file could be written. Sites of a network share one wp-config.php, so there is none for them. */
	public static function write(): bool {
		if ( is_multisite() || ! Plugin::make_folder() ) {
			return false;
		}
		$temporary = self::file() . '.' . getmypid();
		$written   = false !== file_put_contents( $temporary, self::text() ) && chmod( $temporary, 0600 ) && rename( $temporary, self::file() );
		if ( $written && function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( self::file(), true );
		}
		return $written;
	}

	/** Writes the settings again after a change. */
	public static function refresh(): void {
		if ( self::is_written() && file_get_contents( self::file() ) !== self::text() ) {
			self::write();
		}
	}

	public static function remove(): void {
		if ( self::is_written() ) {
			unlink( self::file() );
		}
	}

	private static function text(): string {
		$settings = array_diff_key( Plugin::settings(), array( 'content_key' => 0 ) );
		$core     = dirname( POSTERN_PLUGIN_FILE ) . '/core';
		$load     = var_export( "$core/load.php", true );
		$who      = var_export( "$core/who.php", true );
		$reader   = 'programs' === $settings['ask'] ? '! Postern\\Who::is_program( $_SERVER )' : 'false';
		return "<?php\n// Written by the plugin Postern, and again with each change of its settings.\n"
			. "if ( __FILE__ !== ( get_included_files()[0] ?? '' ) && is_file( $load ) ) {\n"
			. "\tdefine( 'POSTERN_EARLY', true );\n\trequire_once $who;\n"
			. "\tif ( ! ( $reader ) ) {\n\t\trequire_once $load;\n"
			. "\t\tPostern\\Early::run( " . var_export( $settings, true ) . ", __DIR__ );\n\t}\n}\n";
	}
}
