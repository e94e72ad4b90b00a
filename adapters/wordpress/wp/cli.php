<?php
/** The command `wp postern`. */

namespace Postern;

/** Asks Postern who may have what content of this site. */
final class Cli {
	/** Shows the settings, the queue and the import. */
	public function status(): void {
		$settings = Plugin::settings();
		foreach ( array( 'url', 'ask', 'mode', 'on_error', 'unknown', 'timeout_ms', 'origin', 'proxy', 'robots' ) as $name ) {
			\WP_CLI::line( str_pad( Settings::constant( $name ), 22 ) . $settings[ $name ] );
		}
		$state  = Queue::state();
		$import = Import::state();
		\WP_CLI::line( 'Early loader          ' . ( EarlyLoader::is_loaded() ? 'loaded' : ( EarlyLoader::is_written() ? 'written, not loaded' : 'none' ) ) );
		\WP_CLI::line( 'Changes to send       ' . Queue::count() );
		\WP_CLI::line( 'Import                ' . ( null === $import ? 'none' : "{$import['done']} of {$import['total']}" ) );
		if ( '' !== $state['error'] ) {
			\WP_CLI::warning( $state['error'] );
		}
		$faults = Plugin::faults();
		if ( array() !== $faults ) {
			\WP_CLI::error( implode( ' ', $faults ) );
		}
	}

	/** Tests the connection, robots.txt and the caches. Leaves one decision about its visit. */
	public function test(): void {
		$failed = 0;
		foreach ( Health::run() as [ $is_fine, $sentence ] ) {
			\WP_CLI::line( ( $is_fine ? 'ok    ' : 'FAULT ' ) . $sentence );
			$failed += $is_fine ? 0 : 1;
		}
		if ( $failed > 0 ) {
			\WP_CLI::error( "Faults: $failed" );
		}
		\WP_CLI::success( 'Postern works.' );
	}

	/** Registers all posts, and sends what changed. */
	public function sync(): void {
		if ( ! Connection::can_edit() || ! Plugin::settings()['items'] ) {
			\WP_CLI::error( 'Set POSTERN_CONTENT_KEY, a key with the permission content:write.' );
		}
		Import::begin();
		$total = Import::state()['total'];
		do {
			$error = Queue::run();
			if ( null !== $error ) {
				\WP_CLI::error( $error );
			}
			\WP_CLI::line( ( Import::state()['done'] ?? $total ) . " of $total" );
		} while ( null !== Import::state() || Queue::count() > 0 );
		\WP_CLI::success( 'All posts are registered.' );
	}

	/** Asks, records and refuses nothing. */
	public function observe(): void {
		self::set_mode( 'observe' );
	}

	/** Refuses what Postern denies. */
	public function enforce(): void {
		self::set_mode( 'enforce' );
	}

	private static function set_mode( string $mode ): void {
		if ( defined( 'POSTERN_MODE' ) ) {
			\WP_CLI::error( 'POSTERN_MODE in wp-config.php precedes this: change it there.' );
		}
		Plugin::change( array( 'mode' => $mode ) );
		\WP_CLI::success( "Postern: $mode." );
	}
}
