<?php
/** Sends posts to Postern as they are now. */

namespace Postern;

final class Sender {
	/**
	 * Throws Unsent when Postern did not take them; what it refuses for itself is noted and left out.
	 *
	 * @param array<int, bool> $changed Whether a post may have become public or ceased to be, by its number.
	 */
	public static function send( array $changed ): void {
		$ids = array_keys( $changed );
		_prime_post_caches( $ids, true, false );
		$put    = array();
		$gone   = array();
		$active = array();
		foreach ( $changed as $id => $status ) {
			$post = get_post( $id );
			if ( null === $post ) {
				$gone[] = Items::name( $id );
				continue;
			}
			$is_public = Items::is_public( $post );
			$item      = $is_public ? Items::from( $post ) : null;
			if ( null !== $item ) {
				$put[] = $item;
			}
			if ( $status || ! $is_public ) {
				$active[ Items::name( $id ) ] = $is_public;
			}
		}
		self::put( $put );
		foreach ( array_chunk( $gone, 1000 ) as $names ) {
			Connection::request( 'POST', '/v1/content/bulk-delete', array( 'ids' => $names ) );
		}
		foreach ( $active as $name => $is_active ) {
			self::set_status( $name, $is_active ? 'active' : 'archived' );
		}
	}

	/** @param array<int, array<string, mixed>> $items */
	public static function put( array $items ): void {
		if ( array() === $items ) {
			return;
		}
		$answer = Connection::request( 'POST', '/v1/content/bulk-upsert', array( 'items' => $items ) );
		foreach ( $answer['errors'] ?? array() as $error ) {
			Queue::refused( (string) ( $error['externalId'] ?? $items[ $error['index'] ]['externalId'] ), (string) $error['message'] );
		}
	}

	/** A post that never was public is not registered, and stays so. */
	private static function set_status( string $name, string $status ): void {
		Connection::request( 'PATCH', '/v1/content/' . rawurlencode( $name ), array( 'status' => $status ), array( 'content_not_found' ) );
	}
}
