<?php
/** Connects the parts of the plugin to WordPress. A request of a reader loads this file, the settings and the guard. */

namespace Postern;

final class Plugin {
	/** The option with all settings: the only one that is loaded with each request. */
	public const OPTION = 'postern';

	/** The event of the scheduler that sends changes. */
	public const EVENT = 'postern_sync';

	/** @var array<string, mixed>|null */
	private static ?array $settings = null;
	private static ?Guard $guard    = null;

	public static function start(): void {
		add_action( 'plugins_loaded', array( self::class, 'guard' ), PHP_INT_MIN );
		add_action( 'wp_after_insert_post', array( Changes::class, 'saved' ), 10, 4 );
		// Attachments have hooks of their own.
		add_action( 'add_attachment', fn( $id ) => Changes::saved( $id, get_post( $id ), false, null ) );
		add_action( 'attachment_updated', fn( $id, $post, $before ) => Changes::saved( $id, $post, true, $before ), 10, 3 );
		add_action( 'deleted_post', array( Changes::class, 'deleted' ), 10, 2 );
		add_action( 'set_object_terms', array( Changes::class, 'tagged' ), 10, 6 );
		add_action( 'edited_term', array( Changes::class, 'all' ), 10, 3 );
		add_action( 'delete_term', array( Changes::class, 'all' ), 10, 3 );
		foreach ( array( 'home', 'siteurl', 'permalink_structure' ) as $option ) {
			add_action( "update_option_$option", array( Changes::class, 'all' ) );
		}
		add_action( 'add_option_' . self::OPTION, array( self::class, 'changed' ) );
		add_action( 'update_option_' . self::OPTION, array( self::class, 'changed' ) );
		add_action( self::EVENT, array( Queue::class, 'run' ) );
		add_action( 'switch_blog', array( self::class, 'forget' ) );
		add_filter( 'robots_txt', array( SiteFiles::class, 'robots' ), PHP_INT_MAX );
		add_action( 'parse_request', fn() => self::may_be_file() && SiteFiles::serve(), PHP_INT_MIN );
		// After the redirect to the address of the post, which is asked about then.
		add_action( 'template_redirect', array( self::class, 'guard_item' ), 11 );
		add_filter( 'rest_request_before_callbacks', array( self::class, 'guard_route' ), PHP_INT_MIN, 3 );
		add_filter( 'site_status_tests', array( Health::class, 'tests' ) );
		if ( is_admin() ) {
			SettingsPage::start();
			add_action( 'wp_ajax_health-check-postern', array( Health::class, 'send' ) );
			add_action( 'wp_dashboard_setup', array( Dashboard::class, 'add' ) );
		}
		if ( defined( 'WP_CLI' ) && \WP_CLI ) {
			\WP_CLI::add_command( 'postern', Cli::class );
		}
		register_activation_hook( POSTERN_PLUGIN_FILE, array( self::class, 'activate' ) );
		register_deactivation_hook( POSTERN_PLUGIN_FILE, array( self::class, 'deactivate' ) );
	}

	/** @return array<string, mixed> */
	public static function settings(): array {
		if ( null === self::$settings ) {
			$stored         = get_option( self::OPTION, array() );
			self::$settings = Settings::read( is_array( $stored ) ? $stored : array() );
			if ( '' === self::$settings['origin'] ) {
				self::$settings['origin'] = self::home_origin();
			}
		}
		return self::$settings;
	}

	/** @param array<string, mixed> $changes */
	public static function change( array $changes ): void {
		$stored = get_option( self::OPTION, array() );
		update_option( self::OPTION, $changes + ( is_array( $stored ) ? $stored : array() ), true );
	}

	/** Another site of a network has settings of its own. */
	public static function forget(): void {
		self::$settings = null;
	}

	/** The option was written, by the settings page or the command line. */
	public static function changed(): void {
		self::forget();
		self::make_folder();
		EarlyLoader::refresh();
	}

	/** @return array<string, string> */
	public static function faults(): array {
		return Settings::faults( self::settings() );
	}

	/** Decides without another file of the plugin. */
	private static function may_be_file(): bool {
		return 1 === preg_match( '~/license\.xml|/\.well-known/~', rawurldecode( (string) ( $_SERVER['REQUEST_URI'] ?? '' ) ) );
	}

	private static function home_origin(): string {
		$parts = wp_parse_url( home_url() ) + array( 'scheme' => 'https', 'host' => '' );
		return $parts['scheme'] . '://' . $parts['host'] . ( isset( $parts['port'] ) ? ":{$parts['port']}" : '' );
	}

	/** The folder for state that requests share, and for the early loader. */
	public static function folder(): string {
		return WP_CONTENT_DIR . '/postern';
	}

	/** Asks about the visit before WordPress looks for the page. */
	public static function guard(): void {
		$ask = defined( 'POSTERN_ASK' ) ? POSTERN_ASK : ( get_option( self::OPTION, array() )['ask'] ?? '' );
		// A reader ends here: nothing more is loaded.
		if ( '' === $ask || ( 'programs' === $ask && ! Who::is_program( $_SERVER ) ) || array() !== self::faults() ) {
			return;
		}
		$guard = new Guard( self::settings(), new Visit( $_SERVER ), self::folder() );
		if ( ! $guard->is_concerned() ) {
			return;
		}
		if ( $guard->claims_account() && self::is_editor() ) {
			return;
		}
		self::$guard = $guard;
		if ( $guard->is_xml_rpc() ) {
			// Before a method runs, with the account that it was called with; and after a failed sign-in.
			add_action( 'xmlrpc_call', fn() => current_user_can( 'edit_posts' ) || $guard->enforce(), PHP_INT_MIN );
			add_filter( 'xmlrpc_login_error', function ( $error ) use ( $guard ) {
				$guard->enforce();
				return $error;
			} );
			return;
		}
		$guard->enforce();
	}

	/** Tests whether the cookie or the application password belongs to an account that edits posts. */
	private static function is_editor(): bool {
		if ( is_user_logged_in() ) {
			return current_user_can( 'edit_posts' );
		}
		$name = (string) ( $_SERVER['PHP_AUTH_USER'] ?? '' );
		if ( '' === $name || ! function_exists( 'wp_authenticate_application_password' ) ) {
			return false;
		}
		add_filter( 'application_password_is_api_request', '__return_true' );
		$user = wp_authenticate_application_password( null, $name, (string) ( $_SERVER['PHP_AUTH_PW'] ?? '' ) );
		remove_filter( 'application_password_is_api_request', '__return_true' );
		return $user instanceof \WP_User && user_can( $user, 'edit_posts' );
	}

	/** WordPress serves a post at other addresses than its own, such as `/?p=7&feed=rss2`. */
	public static function guard_item(): void {
		if ( null !== self::$guard && is_singular() ) {
			$post = (int) get_queried_object_id();
			self::$guard->enforce_item( Items::name( $post ), (string) get_permalink( $post ) );
		}
	}

	/**
	 * REST serves a post by its number.
	 *
	 * @param mixed $response
	 * @param mixed $handler
	 * @return mixed
	 */
	public static function guard_route( $response, $handler, \WP_REST_Request $request ) {
		if ( null !== self::$guard && preg_match( '~^/wp/v2/[^/]+/(\d+)(?:/|$)~', $request->get_route(), $parts ) && null !== get_post( (int) $parts[1] ) ) {
			self::$guard->enforce_item( Items::name( (int) $parts[1] ), (string) get_permalink( (int) $parts[1] ) );
		}
		return $response;
	}

	/** The first change in a site schedules its events: a network may get sites after the activation. */
	public static function activate(): void {
		self::make_folder();
	}

	public static function deactivate( bool $is_network = false ): void {
		foreach ( $is_network ? get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) : array( get_current_blog_id() ) as $site ) {
			is_multisite() && switch_to_blog( $site );
			wp_unschedule_hook( self::EVENT );
			is_multisite() && restore_current_blog();
		}
		EarlyLoader::remove();
	}

	/** Returns whether the folder can be used. */
	public static function make_folder(): bool {
		$folder = self::folder();
		if ( ! wp_mkdir_p( $folder ) || ! wp_is_writable( $folder ) ) {
			return false;
		}
		if ( ! is_file( "$folder/index.php" ) ) {
			file_put_contents( "$folder/index.php", "<?php\n// Nothing is shown here.\n" );
		}
		return true;
	}
}
