<?php
/**
 * The posts that Postern does not know yet as they are. Promise: no change is lost while Postern is unreachable, and a
 * change during the sending is sent again. Each post is a row of its own, so that editors at the same time cannot
 * overwrite each other's; none is loaded with a page.
 */

namespace Postern;

final class Queue {
	private const ROW   = 'postern_due_';
	private const LOCK  = 'postern_lock';
	private const STATE = 'postern_state';
	private const BATCH = 500;
	/** Seconds of one run of the scheduler. */
	private const RUN_S = 20;
	private const LOCK_S = 300;

	private static string $refused = '';

	/** @param bool $status The post became public, or is no longer public. */
	public static function add( int $post, bool $status ): void {
		global $wpdb;
		$value = ( $status ? 's' : 'p' ) . bin2hex( random_bytes( 8 ) );
		// A change of the status stays noted until it is sent.
		$wpdb->query( $wpdb->prepare(
			"INSERT INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')
			ON DUPLICATE KEY UPDATE option_value = CONCAT(IF(option_value LIKE 's%%', 's', LEFT(VALUES(option_value), 1)), SUBSTRING(VALUES(option_value), 2))",
			self::ROW . $post,
			$value
		) );
		self::run_soon( 0 );
	}

	public static function run_soon( int $seconds ): void {
		if ( ! wp_next_scheduled( Plugin::EVENT ) ) {
			// Where WordPress loses the event below, this one sends the change.
			wp_schedule_event( time() + HOUR_IN_SECONDS, 'hourly', Plugin::EVENT );
		}
		if ( ! wp_next_scheduled( Plugin::EVENT, array( 'soon' ) ) ) {
			wp_schedule_single_event( time() + $seconds, Plugin::EVENT, array( 'soon' ) );
		}
	}

	public static function count(): int {
		global $wpdb;
		return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::ROW ) . '%' ) );
	}

	/** @return array{failures: int, error: string, sent: int, at: int} */
	public static function state(): array {
		return (array) get_option( self::STATE, array() ) + array( 'failures' => 0, 'error' => '', 'sent' => 0, 'at' => 0 );
	}

	/** Runs by the scheduler. Returns null, or why it did not finish. */
	public static function run(): ?string {
		if ( ! Connection::can_edit() || ! Plugin::settings()['items'] ) {
			return null;
		}
		if ( ! self::lock() ) {
			return 'Another run is sending.';
		}
		$until         = microtime( true ) + self::RUN_S;
		$state         = self::state();
		$before        = $state['sent'];
		self::$refused = '';
		try {
			do {
				$sent           = self::send() + Import::step( self::BATCH );
				$state['sent'] += $sent;
			} while ( $sent > 0 && microtime( true ) < $until );
			if ( $state['failures'] > 0 || $state['sent'] > $before ) {
				$state['error'] = self::$refused;
			}
			update_option( self::STATE, array( 'failures' => 0, 'at' => time() ) + $state, false );
			self::unlock();
		} catch ( Unsent $error ) {
			$state['error'] = $error->getMessage();
			$state['failures']++;
			update_option( self::STATE, $state, false );
			self::unlock();
			self::run_soon( min( 30 * 2 ** min( $state['failures'] - 1, 7 ), HOUR_IN_SECONDS ) );
			return $error->getMessage();
		}
		if ( $sent > 0 ) {
			self::run_soon( 0 );
		}
		return null;
	}

	/** Notes items that Postern refused for themselves: sending them again would not help. */
	public static function refused( string $item, string $why ): void {
		self::$refused = "$item: $why";
	}

	/** Sends the oldest changes, and returns their number. Throws Unsent. */
	private static function send(): int {
		global $wpdb;
		$rows = $wpdb->get_results( $wpdb->prepare(
			"SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE %s ORDER BY option_id LIMIT %d",
			$wpdb->esc_like( self::ROW ) . '%',
			self::BATCH
		) );
		if ( array() === $rows ) {
			return 0;
		}
		$changed = array();
		foreach ( $rows as $row ) {
			$changed[ (int) substr( $row->option_name, strlen( self::ROW ) ) ] = 's' === $row->option_value[0];
		}
		Sender::send( $changed );
		foreach ( $rows as $row ) {
			// A row that changed since has another value, and stays.
			$wpdb->delete( $wpdb->options, array( 'option_name' => $row->option_name, 'option_value' => $row->option_value ) );
		}
		return count( $rows );
	}

	/** Two runs at once could send an older state last. */
	private static function lock(): bool {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s AND option_value < %s", self::LOCK, (string) ( time() - self::LOCK_S ) ) );
		return 1 === $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options (option_name, option_value, autoload) VALUES (%s, %s, 'no')", self::LOCK, (string) time() ) );
	}

	private static function unlock(): void {
		global $wpdb;
		$wpdb->delete( $wpdb->options, array( 'option_name' => self::LOCK ) );
	}
}
