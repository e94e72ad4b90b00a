<?php
/** Notes which posts changed. Nothing is sent in the request of an editor. */

namespace Postern;

final class Changes {
	/**
	 * Runs after terms and fields are stored too, which `save_post` does not.
	 *
	 * @param mixed $before
	 */
	public static function saved( int $id, \WP_Post $post, bool $update, $before ): void {
		if ( ! self::is_kept( $post->post_type ) || wp_is_post_revision( $id ) || 'auto-draft' === $post->post_status ) {
			return;
		}
		$was = $before instanceof \WP_Post && Items::is_public( $before );
		$is  = Items::is_public( $post );
		if ( ! $is && ! $was ) {
			return;
		}
		Queue::add( $id, $is !== $was );
		if ( $is !== $was && 'attachment' !== $post->post_type ) {
			// Attachments are as public as the post that they belong to.
			foreach ( get_posts( array( 'post_parent' => $id, 'post_type' => 'attachment', 'post_status' => 'any', 'fields' => 'ids', 'numberposts' => -1 ) ) as $child ) {
				Queue::add( (int) $child, true );
			}
		}
	}

	public static function deleted( int $id, ?\WP_Post $post = null ): void {
		if ( null === $post || self::is_kept( $post->post_type ) ) {
			Queue::add( $id, true );
		}
	}

	/**
	 * @param mixed $terms
	 * @param int[] $now
	 * @param int[] $before
	 */
	public static function tagged( int $id, $terms, array $now, string $taxonomy, bool $append, array $before ): void {
		$post = get_post( $id );
		$same = array() === array_diff( $now, $before ) && ( $append || array() === array_diff( $before, $now ) );
		if ( ! $same && null !== $post && self::is_kept( $post->post_type ) && Items::is_public( $post ) ) {
			Queue::add( $id, false );
		}
	}

	/** The address or a term of many posts changed. */
	public static function all(): void {
		if ( Plugin::settings()['items'] ) {
			Import::begin();
		}
	}

	private static function is_kept( string $type ): bool {
		return Plugin::settings()['items'] && in_array( $type, Items::post_types(), true );
	}
}
