<?php
/** Registers all posts, in steps that the scheduler or the command line takes. */

namespace Postern;

final class Import {
	private const STATE = 'postern_import';

	/** Begins at the first post; a running import begins again. */
	public static function begin(): void {
		global $wpdb;
		$types = self::placeholders();
		$total = (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $wpdb->posts WHERE post_type IN ($types) AND post_status IN ('publish', 'inherit')", Items::post_types() ) );
		update_option( self::STATE, array( 'after' => 0, 'done' => 0, 'total' => $total ), false );
		Queue::run_soon( 0 );
	}

	/** @return array{after: int, done: int, total: int}|null The running import. */
	public static function state(): ?array {
		$state = get_option( self::STATE, null );
		return is_array( $state ) ? $state : null;
	}

	/** Sends the next posts, and returns their number; 0 without an import. Throws Unsent. */
	public static function step( int $size ): int {
		global $wpdb;
		$state = self::state();
		if ( null === $state ) {
			return 0;
		}
		$types = self::placeholders();
		$ids   = array_map( 'intval', $wpdb->get_col( $wpdb->prepare(
			"SELECT ID FROM $wpdb->posts WHERE ID > %d AND post_type IN ($types) AND post_status IN ('publish', 'inherit') ORDER BY ID LIMIT %d",
			array_merge( array( $state['after'] ), Items::post_types(), array( $size ) )
		) ) );
		if ( array() === $ids ) {
			delete_option( self::STATE );
			return 0;
		}
		_prime_post_caches( $ids, true, false );
		$items = array();
		foreach ( $ids as $id ) {
			$post = get_post( $id );
			if ( null !== $post && Items::is_public( $post ) ) {
				$items[] = Items::from( $post );
			}
		}
		Sender::put( array_values( array_filter( $items ) ) );
		// A change of a setting may have begun another import meanwhile.
		wp_cache_delete( self::STATE, 'options' );
		if ( self::state() === $state ) {
			update_option( self::STATE, array( 'after' => end( $ids ), 'done' => $state['done'] + count( $ids ), 'total' => $state['total'] ), false );
		}
		foreach ( $ids as $id ) {
			clean_post_cache( $id );
		}
		return count( $ids );
	}

	private static function placeholders(): string {
		return implode( ',', array_fill( 0, max( 1, count( Items::post_types() ) ), '%s' ) );
	}
}
