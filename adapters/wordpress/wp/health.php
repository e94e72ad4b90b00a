<?php
/** Tests in Site Health: settings, connection, robots.txt, and a cache that answers programs before Postern is asked. */

namespace Postern;

final class Health {
	private const AGENT = 'Postern-Self-Check/1.0';
	/** Headers in which caches name themselves. */
	private const HEADERS = array(
		'cf-cache-status'   => 'Cloudflare',
		'x-litespeed-cache' => 'LiteSpeed Cache',
		'x-fastcgi-cache'   => 'fastcgi_cache of nginx',
		'x-proxy-cache'     => 'proxy_cache of nginx',
		'x-varnish'         => 'Varnish',
		'x-rocket-nginx-serving-static' => 'WP Rocket',
		'x-cache'           => 'a CDN or proxy',
		'age'               => 'a CDN or proxy',
	);
	/** Signs of page caches in the drop-in or at the end of their pages. */
	private const SIGNS = array(
		'super.?cache'    => 'WP Super Cache',
		'w3 total cache|w3tc' => 'W3 Total Cache',
		'wp.?rocket'      => 'WP Rocket',
		'litespeed'       => 'LiteSpeed Cache',
		'cachify'         => 'Cachify',
		'cache.?enabler'  => 'Cache Enabler',
		'batcache'        => 'Batcache',
		'fastest.?cache'  => 'WP Fastest Cache',
	);

	/**
	 * @param array<string, mixed> $tests
	 * @return array<string, mixed>
	 */
	public static function tests( array $tests ): array {
		// It visits this site, so the page of Site Health does not wait for it.
		$tests['async']['postern'] = array(
			'label'             => 'Postern',
			'test'              => 'postern',
			'has_rest'          => false,
			'async_direct_test' => array( self::class, 'result' ),
		);
		return $tests;
	}

	/** Answers the request of the page of Site Health. */
	public static function send(): void {
		check_ajax_referer( 'health-check-site-status' );
		if ( ! current_user_can( 'view_site_health_checks' ) ) {
			wp_send_json_error();
		}
		wp_send_json_success( self::result() );
	}

	/** @return array<string, mixed> What Site Health shows. */
	public static function result(): array {
		$found  = self::run();
		$faults = array_filter( $found, fn( $one ) => ! $one[0] );
		$text   = '';
		foreach ( $found as [ $is_fine, $sentence ] ) {
			$text .= '<li>' . ( $is_fine ? '✓ ' : '✗ ' ) . esc_html( $sentence ) . '</li>';
		}
		return array(
			'label'       => array() === $faults ? __( 'Postern works', 'postern' ) : __( 'Postern needs your attention', 'postern' ),
			'status'      => array() === $faults ? 'good' : 'critical',
			'badge'       => array( 'label' => 'Postern', 'color' => 'blue' ),
			'description' => "<ul>$text</ul>",
			'actions'     => sprintf( '<a href="%s">%s</a>', esc_url( SettingsPage::url() ), esc_html__( 'Settings', 'postern' ) ),
			'test'        => 'postern',
		);
	}

	/** @return array<int, array{bool, string}> Sentences, and whether each is fine. */
	public static function run(): array {
		// A change of the constants reaches the early loader here too.
		EarlyLoader::refresh();
		$faults = Plugin::faults();
		if ( array() !== $faults ) {
			return array_map( fn( $fault ) => array( false, $fault ), array_values( $faults ) );
		}
		$found   = Connection::test();
		$found[] = self::robots();
		if ( 'off' !== Plugin::settings()['mode'] ) {
			$found[] = self::leak();
		}
		return $found;
	}

	/** @return array{bool, string} */
	private static function robots(): array {
		if ( 'off' !== Plugin::settings()['robots'] && is_file( ABSPATH . 'robots.txt' ) ) {
			return array( false, __( 'A file robots.txt in the folder of WordPress hides that of Postern: remove it.', 'postern' ) );
		}
		return array( true, __( 'No file hides robots.txt.', 'postern' ) );
	}

	/**
	 * Visits a page as a browser, so that a cache keeps it, and then as a program. An answer without the mark of the
	 * guard did not come from it.
	 *
	 * @return array{bool, string}
	 */
	private static function leak(): array {
		$posts = get_posts( array( 'numberposts' => 1, 'has_password' => false ) );
		$page  = array() === $posts ? home_url( '/' ) : get_permalink( $posts[0] );
		foreach ( array( self::browser(), self::browser(), self::AGENT ) as $agent ) {
			$answer = wp_remote_get( $page, array( 'user-agent' => $agent, 'timeout' => 5, 'redirection' => 0, 'sslverify' => false ) );
			if ( is_wp_error( $answer ) ) {
				/* translators: %s: the error */
				return array( false, sprintf( __( 'This site cannot visit itself, so caches were not tested: %s', 'postern' ), $answer->get_error_message() ) );
			}
		}
		$served = 200 === wp_remote_retrieve_response_code( $answer );
		foreach ( array_keys( iterator_to_array( wp_remote_retrieve_headers( $answer ) ) ) as $name ) {
			if ( str_starts_with( strtolower( $name ), 'x-postern-' ) ) {
				return array( true, __( 'Programs are asked about, also where a cache has the page.', 'postern' ) );
			}
		}
		return $served ? array( false, self::explain( $answer ) ) : array( true, __( 'Programs are refused while Postern does not answer.', 'postern' ) );
	}

	/** @param array<string, mixed> $answer */
	private static function explain( array $answer ): string {
		/* translators: %s: the name of a cache */
		$leak = __( 'A program got a page that Postern was not asked about. It came from %s.', 'postern' );
		$file = WP_CONTENT_DIR . '/advanced-cache.php';
		if ( defined( 'WP_CACHE' ) && WP_CACHE && is_file( $file ) && ! EarlyLoader::is_loaded() ) {
			$name = self::named( (string) file_get_contents( $file, false, null, 0, 4000 ) . wp_remote_retrieve_body( $answer ) );
			return sprintf( $leak, $name ?? __( 'the drop-in advanced-cache.php', 'postern' ) ) . ' ' . __( 'Add the early loader: see the settings.', 'postern' );
		}
		foreach ( self::HEADERS as $header => $name ) {
			if ( '' !== wp_remote_retrieve_header( $answer, $header ) ) {
				return sprintf( $leak, $name ) . ' ' . __( 'Exclude programs from this cache, or let an adapter at the edge ask.', 'postern' );
			}
		}
		$name = self::named( wp_remote_retrieve_body( $answer ) );
		return sprintf( $leak, $name ?? __( 'an unknown cache in front of WordPress', 'postern' ) ) . ' '
			. __( 'If its files are served without PHP, exclude programs in the web server.', 'postern' );
	}

	private static function named( string $text ): ?string {
		foreach ( self::SIGNS as $sign => $name ) {
			if ( preg_match( "~$sign~i", $text ) ) {
				return $name;
			}
		}
		return null;
	}

	private static function browser(): string {
		return 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
	}
}
