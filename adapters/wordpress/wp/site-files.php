<?php
/**
 * Serves robots.txt and the other signals of the site from Postern. Promise: they are asked for at most every ten
 * minutes, and while Postern is unreachable the last good copy is served.
 */

namespace Postern;

final class SiteFiles {
	private const OPTION    = 'postern_files';
	private const FRESH_S   = 600;
	private const RETRY_S   = 60;
	private const TIMEOUT_S = 1.5;
	private const PATHS     = array( '/license.xml' => 'license.xml', '/.well-known/tdmrep.json' => 'tdmrep.json' );

	/** The filter of WordPress for robots.txt, which runs where no such file is in the folder. */
	public static function robots( string $own ): string {
		$choice = Plugin::settings()['robots'];
		$file   = 'off' === $choice ? null : self::get( 'robots.txt' );
		if ( null === $file ) {
			return $own;
		}
		if ( 'replace' === $choice ) {
			return $file['text'];
		}
		// The lines of Postern without the site's own, which WordPress has just written.
		$marked = preg_match( '~^# BEGIN Postern$.*?^# END Postern$~ms', $file['text'], $block ) ? $block[0] : $file['text'];
		return rtrim( $own ) . "\n\n$marked\n";
	}

	/** Answers requests for the other files, and for the status. */
	public static function serve(): void {
		// WordPress has added slashes to them by now.
		$visit = new Visit( wp_unslash( $_SERVER ) );
		Status::serve( $visit, is_string( $_GET['proof'] ?? null ) ? wp_unslash( $_GET['proof'] ) : '' );
		$path  = $visit->is_read() ? Visit::plain_path( $visit->path ) : null;
		$kind  = self::PATHS[ $path ] ?? null;
		if ( null !== $path && preg_match( '~^/\.well-known/tdm-policy/(col_[0-9a-z]+)\.json$~D', $path, $parts ) ) {
			$kind = "tdm-policy?collectionId=$parts[1]";
		}
		$file = null === $kind ? null : self::get( $kind );
		if ( null === $file ) {
			return;
		}
		header( 'Cache-Control: no-cache' );
		if ( null !== $file['etag'] ) {
			header( "ETag: {$file['etag']}" );
			if ( in_array( $file['etag'], array_map( 'trim', explode( ',', (string) $visit->header( 'If-None-Match' ) ) ), true ) ) {
				status_header( 304 );
				exit;
			}
		}
		status_header( 200 );
		header( "Content-Type: {$file['type']}" );
		if ( 'HEAD' !== $visit->method ) {
			echo $file['text'];
		}
		exit;
	}

	/** @return array<string, mixed>|null The file; null where Postern publishes none. */
	public static function get( string $kind ): ?array {
		if ( array() !== Plugin::faults() ) {
			return null;
		}
		$files = (array) get_option( self::OPTION, array() );
		$kept  = $files[ $kind ] ?? null;
		if ( null === $kept || time() >= $kept['until'] ) {
			$kept           = self::fetch( $kind, $kept );
			$files[ $kind ] = $kept;
			// The number of collections is not in the hands of visitors, but their requests for them are.
			update_option( self::OPTION, array_slice( $files, -50, null, true ), false );
		}
		return null === $kept['text'] ? null : $kept;
	}

	/**
	 * @param array<string, mixed>|null $kept
	 * @return array<string, mixed>
	 */
	private static function fetch( string $kind, ?array $kept ): array {
		$settings = Plugin::settings();
		$last     = $kept ?? array( 'text' => null, 'type' => '', 'etag' => null );
		$host     = preg_replace( '~^https?://~i', '', $settings['origin'] );
		$url      = rtrim( $settings['url'], '/' ) . '/v1/sites/' . rawurlencode( $host ) . "/signals/$kind";
		$headers  = null === $last['etag'] ? array() : array( 'If-None-Match' => $last['etag'] );
		$answer   = wp_remote_get( $url, array( 'timeout' => self::TIMEOUT_S, 'redirection' => 0, 'headers' => $headers ) );
		$status   = (int) wp_remote_retrieve_response_code( $answer );
		$fresh    = array( 'until' => time() + self::FRESH_S );
		if ( 304 === $status ) {
			return $fresh + $last;
		}
		if ( 200 === $status ) {
			$etag = wp_remote_retrieve_header( $answer, 'etag' );
			return $fresh + array(
				'text' => wp_remote_retrieve_body( $answer ),
				'type' => (string) wp_remote_retrieve_header( $answer, 'content-type' ),
				'etag' => '' === $etag ? null : $etag,
			);
		}
		// The site or the signal is not published, or no longer. Without a code, something else answered.
		$error = json_decode( wp_remote_retrieve_body( $answer ), true )['error'] ?? null;
		if ( ( 404 === $status || 401 === $status ) && is_string( $error['code'] ?? null ) ) {
			return $fresh + array( 'text' => null, 'type' => '', 'etag' => null );
		}
		return array( 'until' => time() + self::RETRY_S ) + $last;
	}
}
