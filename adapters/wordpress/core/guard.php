<?php
/**
 * Decides about one visit, as early as its caller can. Promise: only what Postern allows is served to the visitors that
 * are asked about, each page view is one decision, and the requests of others cost nothing.
 */

namespace Postern;

final class Guard {
	/** The decision about this visit; null before it. */
	private static ?Verdict $verdict = null;
	private static bool $is_observed = false;

	/** @var array<string, mixed> */
	private array $settings;
	private Visit $visit;
	private ?string $folder;

	/**
	 * @param array<string, mixed> $settings Without faults.
	 * @param string|null $folder The folder for state that requests share.
	 */
	public function __construct( array $settings, Visit $visit, ?string $folder ) {
		$this->settings = $settings;
		$this->visit    = $visit;
		$this->folder   = $folder;
	}

	/** Tests whether Postern has a say in this request. */
	public function is_concerned(): bool {
		if ( '' === $this->visit->method || 'off' === $this->settings['mode'] || self::is_own_program() ) {
			return false;
		}
		return ! $this->visit->is_site_file()
			&& ( 'everyone' === $this->settings['ask'] || Who::is_program( $this->visit->server ) );
	}

	/** The sign-in, the scheduler, the command line and the installer. No visitor can pretend to be one of these. */
	private static function is_own_program(): bool {
		foreach ( array( 'WP_CLI', 'DOING_CRON', 'WP_INSTALLING' ) as $name ) {
			if ( defined( $name ) && constant( $name ) ) {
				return true;
			}
		}
		// The script that runs, whatever the visitor put into the URL.
		$script = basename( get_included_files()[0] ?? '' );
		return in_array( $script, array( 'wp-login.php', 'wp-cron.php' ), true );
	}

	/** Tests for credentials that only WordPress itself can verify: a cookie, or an application password. */
	public function claims_account(): bool {
		foreach ( array_keys( $_COOKIE ) as $name ) {
			if ( str_starts_with( (string) $name, 'wordpress_logged_in_' ) ) {
				return true;
			}
		}
		return $this->is_xml_rpc() || 0 === stripos( (string) $this->visit->header( 'Authorization' ), 'basic ' );
	}

	/** The credentials of XML-RPC are in the body, and WordPress reads them in each method. */
	public function is_xml_rpc(): bool {
		return 'POST' === $this->visit->method && 'xmlrpc.php' === basename( get_included_files()[0] ?? '' );
	}

	public static function was_asked(): bool {
		return null !== self::$verdict || self::$is_observed;
	}

	/** Asks about the URL of the visit. A refused visit ends here. */
	public function enforce(): void {
		if ( self::was_asked() ) {
			return;
		}
		// The next visitor may be another one.
		defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
		if ( 'observe' === $this->settings['mode'] ) {
			self::$is_observed = true;
			header( 'x-postern-mode: observe' );
			register_shutdown_function( fn() => $this->observe() );
			return;
		}
		self::$verdict = $this->decide( array( 'url' => $this->url() ) );
		$this->answer( self::$verdict );
	}

	/**
	 * Asks about an item that is served at another address than its own, such as `/?p=7`: about the item, or about its
	 * own address if it is not registered.
	 */
	public function enforce_item( string $item, string $permalink ): void {
		if ( null === self::$verdict || self::$verdict->item === $item ) {
			return;
		}
		$verdict = $this->decide( array( 'contentId' => $item ), 'allow' );
		if ( $verdict->allowed && null === $verdict->item && ! $this->is_at( $permalink ) ) {
			$verdict = $this->decide( array( 'url' => rtrim( $this->settings['origin'], '/' ) . self::target( $permalink ) ) );
		}
		if ( ! $verdict->allowed ) {
			$this->answer( $verdict );
		}
	}

	/** Tests for the address of a post, or one below it. */
	private function is_at( string $permalink ): bool {
		$own = self::target( $permalink );
		return str_contains( $own, '?' ) || '/' === $own
			? $this->visit->target === $own
			: str_starts_with( "{$this->visit->path}/", rtrim( $own, '/' ) . '/' );
	}

	/** Returns the path and the query of a URL. */
	private static function target( string $url ): string {
		return ( new Visit( array( 'REQUEST_URI' => explode( '#', $url )[0] ) ) )->target;
	}

	/** The visitor has the page already, and waits for nothing. */
	private function observe(): void {
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		} elseif ( function_exists( 'litespeed_finish_request' ) ) {
			litespeed_finish_request();
		} else {
			while ( ob_get_level() > 0 && @ob_end_flush() ) {
				continue;
			}
			flush();
		}
		$this->decide( array( 'url' => $this->url() ) );
	}

	/**
	 * @param array<string, string> $about The URL or the item.
	 * @param string|null $unknown Replaces the setting of this name.
	 */
	private function decide( array $about, ?string $unknown = null ): Verdict {
		try {
			$answer = ( new Service( $this->settings, $this->folder ) )->ask( $this->check( $about ) );
			return Verdict::from( $answer, $this->visit, $this->url(), $unknown ?? $this->settings['unknown'] );
		} catch ( Unanswered $error ) {
			error_log( 'Postern: ' . $error->getMessage() );
			return 'allow' === $this->settings['on_error'] && ! $error->is_refusal
				? Verdict::allowed_without( 'no_decision' )
				: Verdict::refused_without();
		}
	}

	/** WordPress also reads these parameters from the body of a form: then they are part of the question. */
	private const BODY_PARAMETERS = array( 'rest_route' => 1, 'feed' => 1, 'sitemap' => 1 );

	private function url(): string {
		$body = http_build_query( array_filter( array_intersect_key( $_POST, self::BODY_PARAMETERS ), 'is_string' ) );
		$mark = str_contains( $this->visit->target, '?' ) ? '&' : '?';
		return rtrim( $this->settings['origin'], '/' ) . $this->visit->target . ( '' === $body ? '' : $mark . $body );
	}

	/**
	 * @param array<string, string> $about
	 * @return array<string, mixed>
	 */
	private function check( array $about ): array {
		$url     = $this->url();
		$context = array_intersect_key(
			Address::context( $this->visit, $this->settings ),
			array_flip( array_filter( array( $this->settings['ip'] ? 'ip' : '', $this->settings['ip'] ? 'ipUnreadable' : '', $this->settings['country'] ? 'country' : '' ) ) )
		);
		$agent = $this->visit->header( 'User-Agent' );
		if ( null !== $agent ) {
			$context['userAgent'] = self::text( $agent, 1024 );
		}
		if ( preg_match( '~^[A-Z-]{1,32}$~D', $this->visit->method ) ) {
			$context['method'] = $this->visit->method;
		}
		$check = $about + array( 'context' => (object) $context, 'explain' => true );
		// With a page, the id is one that the visitor may see.
		$check['page'] = strlen( $url ) <= 2048 ? $url : '';
		$visitor = $this->proofs( $url );
		return array() === $visitor ? $check : $check + array( 'visitor' => $visitor );
	}

	/**
	 * The proofs of the visitor. Other credentials than tokens of requesters and licenses are not Postern's to see.
	 *
	 * @return array<string, string>
	 */
	private function proofs( string $url ): array {
		$proofs        = array();
		$authorization = $this->visit->header( 'Authorization' );
		if ( null !== $authorization && preg_match( '~^(?:bearer +svc_rt_|license +)~i', $authorization ) ) {
			$proofs['authorization'] = $authorization;
		}
		$input = $this->visit->header( 'Signature-Input' );
		if ( null === $input ) {
			return $proofs;
		}
		$signed = array(
			'signatureInput' => $input,
			'signature'      => $this->visit->header( 'Signature' ),
			'signatureAgent' => $this->visit->header( 'Signature-Agent' ),
			'method'         => $this->visit->method,
			'url'            => $url,
		);
		return $proofs + array_filter( $signed, 'is_string' );
	}

	/** Bytes that are no UTF-8 are replaced, as JSON has only characters. */
	private static function text( string $bytes, int $length ): string {
		$text = preg_match( '~~u', $bytes ) ? $bytes : preg_replace( '~[^\x20-\x7e]~', '?', $bytes );
		return preg_match( '~^.{0,' . $length . '}~us', $text, $head ) ? $head[0] : '';
	}

	/** Puts the headers; ends the request where the visit is refused. */
	private function answer( Verdict $verdict ): void {
		if ( ! headers_sent() ) {
			foreach ( $verdict->headers as $name => $value ) {
				header( "$name: " . preg_replace( '~[\r\n]~', ' ', $value ), ! in_array( $name, array( 'link', 'vary' ), true ) );
			}
		}
		if ( $verdict->allowed ) {
			return;
		}
		[ $type, $body ] = Page::body( $verdict->problem, $this->visit->header( 'Accept' ) );
		// Page caches collect the output to keep it.
		while ( ob_get_level() > 0 && @ob_end_clean() ) {
			continue;
		}
		// WordPress may have written a status line already, which `http_response_code` leaves as it is.
		header( "HTTP/1.1 $verdict->status " . Verdict::PHRASES[ $verdict->status ], true, $verdict->status );
		header( "content-type: $type" );
		header( 'content-length: ' . strlen( $body ) );
		if ( 'HEAD' !== $this->visit->method ) {
			echo $body;
		}
		exit;
	}
}
