<?php
/**
 * Asks Postern. Promise: no visitor waits longer than the timeout, an unreachable service is not asked again and again,
 * programs that wait for a slow one leave workers to readers, and an answer is reused only for the same question and
 * only while Postern says so.
 */

namespace Postern;

final class Unanswered extends \Exception {
	/** Postern refused the request of the plugin itself, for example its key: such a failure never allows. */
	public bool $is_refusal;

	public function __construct( string $why, bool $is_refusal = false ) {
		parent::__construct( $why );
		$this->is_refusal = $is_refusal;
	}
}

final class Service {
	private const FAILURES = 3;
	private const PAUSE_S  = 5;
	private const KEPT_MAX = 1000;
	/** The number of questions at once where the number of PHP's workers is not known, and the least number. */
	private const ASKING_MAX = 8;
	private const ASKING_MIN = 2;
	/** A service that is well answers meanwhile. */
	private const WAIT_S = 0.01;

	/** @var array<string, mixed> */
	private array $settings;
	/** A folder for the state that requests share; without it, nothing is reused and each request asks. */
	private ?string $folder;

	/** @param array<string, mixed> $settings */
	public function __construct( array $settings, ?string $folder ) {
		$this->settings = $settings;
		$this->folder   = null !== $folder && is_dir( $folder ) && is_writable( $folder ) ? $folder : null;
	}

	/**
	 * Returns the decision, or `{error}` where the question itself was refused. Throws Unanswered.
	 *
	 * @param array<string, mixed> $check
	 * @return array<string, mixed>
	 */
	public function ask( array $check ): array {
		$body = json_encode( $check, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE );
		$kept = $this->kept( $body );
		if ( null !== $kept ) {
			return $kept;
		}
		$this->require_closed();
		$slot  = $this->take_slot();
		$began = time();
		try {
			[ $status, $text ] = $this->post( '/v1/access/check', $body );
			$answer            = json_decode( $text, true );
			$is_decision       = 200 === $status && is_bool( $answer['allowed'] ?? null );
			$code              = $answer['error']['code'] ?? null;
			// Without a code, the answer is not Postern's, but that of a proxy that does not reach it, for example.
			$is_question = ( 400 === $status || 404 === $status ) && is_string( $code );
			// A service that refuses the request is alive.
			$is_refusal = $is_question || ( $status > 400 && $status < 500 && 404 !== $status && 429 !== $status );
			if ( ! $is_decision && ! $is_refusal ) {
				throw new Unanswered( "Postern answered with status $status, and not with a decision." );
			}
		} catch ( Unanswered $error ) {
			$this->failed();
			throw $error;
		} finally {
			null === $slot || fclose( $slot );
		}
		$this->answered();
		if ( $is_decision ) {
			$this->keep( $body, $answer, $began );
			return $answer;
		}
		// At a wrong address of Postern, there are no checks.
		if ( $is_question && 'route_not_found' !== $code ) {
			return array( 'error' => $answer['error'] );
		}
		throw new Unanswered( (string) ( $answer['error']['message'] ?? "Postern answered with status $status." ), true );
	}

	/**
	 * Returns why Postern cannot be asked; null where it can. It asks nothing in particular: a service that takes the key
	 * refuses only the question.
	 */
	public function failure(): ?string {
		try {
			[ $status, $text ] = $this->post( '/v1/access/check', '{}' );
		} catch ( Unanswered $error ) {
			return 'Postern could not be reached. ' . $error->getMessage();
		}
		$error = json_decode( $text, true )['error'] ?? null;
		if ( ! is_array( $error ) || ! is_string( $error['message'] ?? null ) ) {
			return "The answer with status $status is not Postern's.";
		}
		return 400 === $status ? null : $error['message'];
	}

	/** @return array{int, string} */
	private function post( string $path, string $body ): array {
		$url     = rtrim( $this->settings['url'], '/' ) . $path;
		$headers = array( 'Authorization: Bearer ' . $this->settings['key'], 'Content-Type: application/json' );
		$timeout = (int) $this->settings['timeout_ms'];
		return function_exists( 'curl_init' )
			? self::post_by_curl( $url, $headers, $body, $timeout )
			: self::post_by_stream( $url, $headers, $body, $timeout );
	}

	/**
	 * @param string[] $headers
	 * @return array{int, string}
	 */
	private static function post_by_curl( string $url, array $headers, string $body, int $timeout ): array {
		$curl = curl_init( $url );
		curl_setopt_array(
			$curl,
			array(
				CURLOPT_POST              => true,
				CURLOPT_POSTFIELDS        => $body,
				// No question before the body, which is short.
				CURLOPT_HTTPHEADER        => array_merge( $headers, array( 'Expect:' ) ),
				CURLOPT_RETURNTRANSFER    => true,
				CURLOPT_NOSIGNAL          => true,
				CURLOPT_CONNECTTIMEOUT_MS => $timeout,
				CURLOPT_TIMEOUT_MS        => $timeout,
				CURLOPT_PROTOCOLS         => CURLPROTO_HTTP | CURLPROTO_HTTPS,
				CURLOPT_FOLLOWLOCATION    => false,
			)
		);
		$text = curl_exec( $curl );
		if ( ! is_string( $text ) ) {
			throw new Unanswered( curl_error( $curl ) );
		}
		return array( (int) curl_getinfo( $curl, CURLINFO_RESPONSE_CODE ), $text );
	}

	/**
	 * Without the extension curl, the timeout holds for each read, not for the whole answer.
	 *
	 * @param string[] $headers
	 * @return array{int, string}
	 */
	private static function post_by_stream( string $url, array $headers, string $body, int $timeout ): array {
		$http = array(
			'method'          => 'POST',
			'header'          => $headers,
			'content'         => $body,
			'timeout'         => $timeout / 1000,
			'ignore_errors'   => true,
			'follow_location' => 0,
		);
		$text = @file_get_contents( $url, false, stream_context_create( array( 'http' => $http ) ) );
		if ( false === $text || ! preg_match( '~^HTTP/\S+ (\d{3})~', $http_response_header[0] ?? '', $line ) ) {
			throw new Unanswered( 'Postern did not answer.' );
		}
		return array( (int) $line[1], $text );
	}

	/**
	 * Takes a slot, until it is closed or the process ends. Throws Unanswered where all are taken.
	 *
	 * @return resource|null
	 */
	private function take_slot() {
		$until = microtime( true ) + self::WAIT_S;
		$count = self::slots();
		while ( null !== $this->folder ) {
			for ( $i = 0; $i < $count; $i++ ) {
				$slot = @fopen( "$this->folder/asking-$i.php", 'c' );
				if ( false === $slot ) {
					return null;
				}
				if ( flock( $slot, LOCK_EX | LOCK_NB ) ) {
					return $slot;
				}
				fclose( $slot );
			}
			if ( microtime( true ) >= $until ) {
				throw new Unanswered( "$count visitors wait for Postern: this one was not asked about." );
			}
			usleep( 2000 );
		}
		return null;
	}

	/** Half of the workers of PHP: the others serve readers. */
	private static function slots(): int {
		$pool = function_exists( 'fpm_get_status' ) ? fpm_get_status() : false;
		return is_array( $pool ) ? max( self::ASKING_MIN, intdiv( (int) $pool['total-processes'], 2 ) ) : self::ASKING_MAX;
	}

	/** Throws Unanswered during the pause after several failures in a row. The first request after it asks again. */
	private function require_closed(): void {
		$state = $this->read( $this->breaker() );
		if ( ( $state['failures'] ?? 0 ) < self::FAILURES ) {
			return;
		}
		if ( time() < ( $state['until'] ?? 0 ) ) {
			throw new Unanswered( 'Postern did not answer several times in a row; it is asked again in some seconds.' );
		}
		$this->write( $this->breaker(), array( 'until' => time() + self::PAUSE_S ) + $state );
	}

	private function failed(): void {
		$failures = 1 + ( $this->read( $this->breaker() )['failures'] ?? 0 );
		$this->write( $this->breaker(), array( 'failures' => $failures, 'until' => time() + self::PAUSE_S ) );
	}

	private function answered(): void {
		if ( array() !== $this->read( $this->breaker() ) ) {
			@unlink( "$this->folder/{$this->breaker()}.php" );
		}
	}

	/** The sites of a network may ask different services. */
	private function breaker(): string {
		return 'breaker-' . hash( 'crc32b', $this->settings['url'] );
	}

	/** The whole question is the name, because each field may decide. The number of slots bounds the folder. */
	private static function slot( string $body ): string {
		return 'answer-' . ( crc32( $body ) % self::KEPT_MAX );
	}

	private function name( string $body ): string {
		return hash( 'sha256', $this->settings['url'] . ' ' . $this->settings['key'] . ' ' . $body );
	}

	/** @return array<string, mixed>|null */
	private function kept( string $body ): ?array {
		$kept = $this->read( self::slot( $body ) );
		$same = ( $kept['name'] ?? '' ) === $this->name( $body );
		return $same && time() < $kept['until'] ? $kept['answer'] : null;
	}

	/** @param array<string, mixed> $answer */
	private function keep( string $body, array $answer, int $began ): void {
		$seconds = (int) ( $answer['maxAge'] ?? 0 );
		// The clock counts whole seconds, so the second in which the question began is spent already.
		if ( $seconds > 1 ) {
			$kept = array( 'name' => $this->name( $body ), 'until' => $began + $seconds, 'answer' => $answer );
			$this->write( self::slot( $body ), $kept );
		}
	}

	/** The first line keeps a web server that serves this file from showing it. */
	private const SILENT = "<?php exit; ?>\n";

	/** @return array<string, mixed> */
	private function read( string $name ): array {
		$text = null === $this->folder ? false : @file_get_contents( "$this->folder/$name.php" );
		$data = false === $text ? null : json_decode( substr( $text, strlen( self::SILENT ) ), true );
		return is_array( $data ) ? $data : array();
	}

	/** @param array<string, mixed> $data */
	private function write( string $name, array $data ): void {
		if ( null === $this->folder ) {
			return;
		}
		$temporary = "$this->folder/$name." . getmypid() . '.tmp';
		if ( false !== @file_put_contents( $temporary, self::SILENT . json_encode( $data ) ) ) {
			@rename( $temporary, "$this->folder/$name.php" );
		}
	}
}
