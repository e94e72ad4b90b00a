<?php
/** The request of a visitor as the web server passed it on. No function of WordPress is used here. */

namespace Postern;

final class Visit {
	public string $method;
	/** Path and query as sent, starting with a slash. */
	public string $target;
	public string $path;
	/** @var array<string, mixed> The variables of the web server. */
	public array $server;

	/** @param array<string, mixed> $server */
	public function __construct( array $server ) {
		$this->server = $server;
		$this->method = strtoupper( (string) ( $server['REQUEST_METHOD'] ?? '' ) );
		// Apache also passes on absolute targets.
		$target       = preg_replace( '~^https?://[^/?#]*~i', '', (string) ( $server['REQUEST_URI'] ?? '/' ) );
		$this->target = str_starts_with( $target, '/' ) ? $target : '/' . $target;
		$this->path   = explode( '?', $this->target, 2 )[0];
	}

	/** Returns a header of the visitor; null without it. Credentials that Apache renamed are found too. */
	public function header( string $name ): ?string {
		$key   = 'HTTP_' . strtoupper( str_replace( '-', '_', $name ) );
		$value = $this->server[ $key ] ?? ( 'HTTP_AUTHORIZATION' === $key ? $this->server[ 'REDIRECT_' . $key ] ?? null : null );
		return is_string( $value ) && '' !== $value ? $value : null;
	}

	/** Returns the address of the peer that opened the connection. */
	public function peer(): string {
		return (string) ( $this->server['REMOTE_ADDR'] ?? '' );
	}

	public function is_read(): bool {
		return 'GET' === $this->method || 'HEAD' === $this->method;
	}

	/**
	 * Tests for a file with the rules of the site for crawlers. Crawlers take a refused robots.txt as "everything is
	 * open". No other path passes for one of these files, and no query: WordPress serves a post for
	 * `/robots.txt?rest_route=…`.
	 */
	public function is_site_file(): bool {
		$path  = $this->is_read() ? self::plain_path( $this->path ) : null;
		$query = substr( $this->target, strlen( $this->path ) );
		// A version names no page.
		return null !== $path && preg_match( '~^(?:\?v(?:er)?=[\w.-]*)?$~D', $query )
			&& preg_match( '~^/(?:(?:robots\.txt|license\.xml|tdmrep\.json|favicon\.ico)$|\.well-known/)~D', $path );
	}

	/** Returns the decoded path; null where a server could read it as another path. */
	public static function plain_path( string $raw ): ?string {
		if ( ! preg_match( '~^/[\x21-\x7e]*$~D', $raw ) || preg_match( '~%(?:2f|5c)~i', $raw ) ) {
			return null;
		}
		// Each percent sign begins an escape.
		if ( preg_match( '~%(?![0-9a-f]{2})~i', $raw ) ) {
			return null;
		}
		$path   = rawurldecode( $raw );
		$second = '~[\\\\;?#]|[\x00-\x1f\x7f]|%[0-9a-f]{2}|%u[0-9a-f]{4}|[./ ]/|/\.\.?$|\.[a-z]\w+/~iuD';
		// An invalid sequence of UTF-8 makes the search fail, and so is no plain path.
		return 0 === preg_match( $second, $path ) ? $path : null;
	}
}
