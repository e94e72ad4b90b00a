<?php
/** The page Settings → Postern. */

namespace Postern;

final class SettingsPage {
	private const SLUG = 'postern';
	/** What the buttons beside the form do. */
	private const ACTIONS = array( 'test', 'sync', 'early', 'noearly' );

	public static function start(): void {
		add_action( 'admin_menu', fn() => add_options_page( 'Postern', 'Postern', 'manage_options', self::SLUG, array( self::class, 'show' ) ) );
		add_action( 'admin_init', array( self::class, 'register' ) );
		add_action( 'admin_notices', array( self::class, 'notice' ) );
		add_filter( 'plugin_action_links_' . plugin_basename( POSTERN_PLUGIN_FILE ), fn( $links ) => array_merge(
			array( sprintf( '<a href="%s">%s</a>', esc_url( self::url() ), esc_html__( 'Settings', 'postern' ) ) ),
			$links
		) );
		foreach ( self::ACTIONS as $action ) {
			add_action( "admin_post_postern_$action", fn() => self::act( $action ) );
		}
	}

	public static function url(): string {
		return admin_url( 'options-general.php?page=' . self::SLUG );
	}

	public static function register(): void {
		register_setting( self::SLUG, Plugin::OPTION, array( 'type' => 'array', 'sanitize_callback' => array( self::class, 'sanitize' ) ) );
		wp_add_privacy_policy_content( 'Postern', '<p>' . esc_html__( 'For visits of programs, this site sends the address of the page, the user agent, the IP address and the country of the visitor to its access control service, which decides whether the page may be served and records the decision.', 'postern' ) . '</p>' );
	}

	/** A guard without settings asks nobody, and says so. */
	public static function notice(): void {
		$screen = get_current_screen();
		if ( array() === Plugin::faults() || ! current_user_can( 'manage_options' ) || null === $screen || ! in_array( $screen->id, array( 'plugins', 'dashboard' ), true ) ) {
			return;
		}
		printf(
			'<div class="notice notice-warning"><p>%s <a href="%s">%s</a></p></div>',
			esc_html__( 'Postern is not set up, so it decides nothing yet.', 'postern' ),
			esc_url( self::url() ),
			esc_html__( 'Set it up', 'postern' )
		);
	}

	/**
	 * @param mixed $sent
	 * @return array<string, mixed>
	 */
	public static function sanitize( $sent ): array {
		$stored = (array) get_option( Plugin::OPTION, array() );
		$next   = $stored;
		foreach ( array_intersect_key( (array) $sent, Settings::FIRST ) as $name => $value ) {
			if ( is_bool( Settings::FIRST[ $name ] ) ) {
				$next[ $name ] = (bool) $value;
			} elseif ( is_array( Settings::FIRST[ $name ] ) ) {
				$next[ $name ] = is_array( $value ) ? $value : preg_split( '~[\s,]+~', (string) $value, -1, PREG_SPLIT_NO_EMPTY );
			} elseif ( is_int( Settings::FIRST[ $name ] ) ) {
				$next[ $name ] = (int) $value;
			} elseif ( '' !== trim( (string) $value ) || ! in_array( $name, array( 'key', 'content_key', 'proxy_secret' ), true ) ) {
				$next[ $name ] = trim( (string) $value );
			}
		}
		foreach ( array_keys( array_filter( (array) ( $sent['forget'] ?? array() ) ) ) as $name ) {
			$next[ $name ] = '';
		}
		$all = Settings::read( $next );
		$all['origin'] = '' === $all['origin'] ? 'https://example.com' : $all['origin'];
		if ( function_exists( 'add_settings_error' ) ) {
			foreach ( Settings::faults( $all ) as $name => $fault ) {
				add_settings_error( Plugin::OPTION, "postern_$name", $fault );
			}
		}
		return $next;
	}

	private static function act( string $action ): void {
		if ( ! current_user_can( 'manage_options' ) ) {
			wp_die( esc_html__( 'You may not change these settings.', 'postern' ), '', array( 'response' => 403 ) );
		}
		check_admin_referer( "postern_$action" );
		if ( 'sync' === $action ) {
			Import::begin();
		} elseif ( 'noearly' === $action ) {
			EarlyLoader::remove();
		} elseif ( 'early' === $action && ! EarlyLoader::write() ) {
			wp_die( esc_html__( 'The folder wp-content/postern cannot be written, or this is a network of sites.', 'postern' ) );
		}
		wp_safe_redirect( add_query_arg( 'postern', $action, self::url() ) . "#postern-$action" );
		exit;
	}

	public static function show(): void {
		// A change of the constants reaches the early loader here.
		EarlyLoader::refresh();
		echo '<div class="wrap"><h1>Postern</h1>';
		echo '<p>' . esc_html__( 'A program that sends the user agent of a browser is served like a reader: with "Programs", Postern is asked only about what is not plainly a browser.', 'postern' ) . '</p>';
		echo '<form action="options.php" method="post">';
		settings_fields( self::SLUG );
		SettingsForm::show();
		submit_button();
		echo '</form>';
		self::show_test();
		self::show_items();
		self::show_early_loader();
		echo '</div>';
	}

	private static function button( string $action, string $label ): void {
		printf( '<form action="%s" method="post" id="postern-%s"><input type="hidden" name="action" value="postern_%2$s">', esc_url( admin_url( 'admin-post.php' ) ), esc_attr( $action ) );
		wp_nonce_field( "postern_$action" );
		submit_button( $label, 'secondary', 'submit', false );
		echo '</form>';
	}

	private static function show_test(): void {
		echo '<h2>' . esc_html__( 'Connection', 'postern' ) . '</h2>';
		if ( 'test' === ( $_GET['postern'] ?? '' ) ) {
			foreach ( Health::run() as [ $is_fine, $sentence ] ) {
				printf( '<div class="notice inline notice-%s"><p>%s</p></div>', $is_fine ? 'success' : 'error', esc_html( $sentence ) );
			}
		}
		self::button( 'test', __( 'Test connection', 'postern' ) );
	}

	private static function show_items(): void {
		echo '<h2>' . esc_html__( 'Posts as items', 'postern' ) . '</h2>';
		if ( ! Connection::can_edit() ) {
			echo '<p>' . esc_html__( 'Without a key for content, posts are not registered. A collection in Postern protects them all the same.', 'postern' ) . '</p>';
			return;
		}
		$import = Import::state();
		$state  = Queue::state();
		if ( null !== $import ) {
			printf( '<p><progress max="%1$d" value="%2$d"></progress> %3$s</p>', (int) $import['total'], (int) $import['done'], esc_html( sprintf( /* translators: 1, 2: numbers */ __( '%1$d of %2$d posts; reload this page to see how it goes on.', 'postern' ), $import['done'], $import['total'] ) ) );
		}
		printf( '<p>%s</p>', esc_html( sprintf( /* translators: %d: a number */ __( 'Changes that wait to be sent: %d', 'postern' ), Queue::count() ) ) );
		if ( '' !== $state['error'] ) {
			printf( '<div class="notice inline notice-warning"><p>%s</p></div>', esc_html( $state['error'] ) );
		}
		self::button( 'sync', __( 'Register all posts', 'postern' ) );
	}

	private static function show_early_loader(): void {
		echo '<h2>' . esc_html__( 'Page caches', 'postern' ) . '</h2><p>';
		esc_html_e( 'A page cache answers before any plugin runs. With the early loader, Postern is asked before the cache.', 'postern' );
		echo '</p>';
		if ( ! EarlyLoader::is_written() ) {
			self::button( 'early', __( 'Write the early loader', 'postern' ) );
			return;
		}
		if ( EarlyLoader::is_loaded() ) {
			echo '<p>' . esc_html__( 'The early loader is loaded.', 'postern' ) . '</p>';
		} else {
			echo '<p>' . esc_html__( 'Add this line to wp-config.php, below your POSTERN_ constants and above the line that loads wp-settings.php:', 'postern' ) . '</p>';
			echo '<p><code>' . esc_html( EarlyLoader::line() ) . '</code></p>';
		}
		self::button( 'noearly', __( 'Remove the early loader', 'postern' ) );
	}
}
