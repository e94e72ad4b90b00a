<?php
/** Posts as items of Postern. */

namespace Postern;

final class Items {
	private const TAGS_MAX = 50;
	private const TEXT_MAX = 500;

	/** Returns the externalId of a post. */
	public static function name( int $post ): string {
		return 'wp-' . get_current_blog_id() . '-' . $post;
	}

	/** @return string[] The types of posts that have addresses. */
	public static function post_types(): array {
		return array_values( (array) apply_filters( 'postern_post_types', get_post_types( array( 'public' => true ) ) ) );
	}

	/** Tests for a post that everybody may read. */
	public static function is_public( \WP_Post $post ): bool {
		return 'publish' === get_post_status( $post )
			&& '' === $post->post_password
			&& in_array( $post->post_type, self::post_types(), true );
	}

	/**
	 * Returns the item of a post; null for one without a title or an address that Postern takes.
	 *
	 * @return array<string, mixed>|null
	 */
	public static function from( \WP_Post $post ): ?array {
		$source = get_permalink( $post );
		if ( ! is_string( $source ) || strlen( $source ) > 2048 ) {
			return null;
		}
		$title = trim( html_entity_decode( wp_strip_all_tags( $post->post_title ), ENT_QUOTES, 'UTF-8' ) );
		return array(
			'externalId' => self::name( $post->ID ),
			'title'      => mb_substr( '' === $title ? "Post $post->ID" : $title, 0, self::TEXT_MAX ),
			'type'       => self::type( $post ),
			'source'     => $source,
			'tags'       => self::tags( $post ),
		);
	}

	/** Postern has five types of content. */
	private static function type( \WP_Post $post ): string {
		if ( 'attachment' !== $post->post_type ) {
			return 'article';
		}
		$kind = explode( '/', $post->post_mime_type )[0];
		if ( 'image' === $kind || 'video' === $kind ) {
			return $kind;
		}
		return preg_match( '~csv|json|xml$|excel|spreadsheet~', $post->post_mime_type ) ? 'dataset' : 'report';
	}

	/** @return string[] Categories, tags and terms of public taxonomies, and the type of the post. */
	private static function tags( \WP_Post $post ): array {
		$tags = array( "type:$post->post_type" );
		foreach ( get_object_taxonomies( $post, 'objects' ) as $taxonomy ) {
			$terms = $taxonomy->public && 'post_format' !== $taxonomy->name ? get_the_terms( $post, $taxonomy->name ) : array();
			foreach ( is_array( $terms ) ? $terms : array() as $term ) {
				$tags[] = mb_substr( html_entity_decode( $term->name, ENT_QUOTES, 'UTF-8' ), 0, 64 );
			}
		}
		return array_slice( array_values( array_unique( array_filter( $tags, 'strlen' ) ) ), 0, self::TAGS_MAX );
	}
}
