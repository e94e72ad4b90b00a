<?php
/** The fields of the settings page. A constant of wp-config.php shows as fixed. */

namespace Postern;

final class SettingsForm {
	public static function show(): void {
		echo '<table class="form-table" role="presentation">';
		self::text( 'url', __( 'Address of Postern', 'postern' ), 'url', 'https://postern.example.com' );
		self::secret( 'key', __( 'Key for checks', 'postern' ), __( 'A secret key with the permission access:check only.', 'postern' ) );
		self::choice( 'ask', __( 'Ask about', 'postern' ), array(
			'programs' => __( 'Programs: everything that is not plainly a browser, or proves who it is', 'postern' ),
			'everyone' => __( 'Everyone, readers too', 'postern' ),
		) );
		self::choice( 'on_error', __( 'Without an answer of Postern', 'postern' ), array(
			'deny'  => __( 'Refuse the visitors that are asked about, with 503', 'postern' ),
			'allow' => __( 'Serve them', 'postern' ),
		) );
		self::choice( 'mode', __( 'Mode', 'postern' ), array(
			'observe' => __( 'Observe: ask after the page is served, and refuse no visitor', 'postern' ),
			'enforce' => __( 'Enforce: refuse what Postern denies', 'postern' ),
			'off'     => __( 'Off', 'postern' ),
		) );
		self::secret( 'content_key', __( 'Key for content', 'postern' ), __( 'Optional: a secret key with content:write, to register posts as items, and analytics:read, for the box on the dashboard.', 'postern' ) );
		self::flag( 'items', __( 'Items', 'postern' ), __( 'Register posts, pages and attachments, and keep them in step', 'postern' ) );
		self::choice( 'robots', 'robots.txt', array(
			'append'  => __( 'Add the groups of Postern to that of WordPress', 'postern' ),
			'replace' => __( 'Serve that of Postern', 'postern' ),
			'off'     => __( 'Leave it as it is', 'postern' ),
		) );
		self::choice( 'unknown', __( 'Pages without item or collection', 'postern' ), array( 'deny' => __( 'Refuse', 'postern' ), 'allow' => __( 'Serve', 'postern' ) ) );
		self::text( 'timeout_ms', __( 'Longest wait for an answer, in milliseconds', 'postern' ), 'number', '500' );
		self::text( 'origin', __( 'Origin of this site', 'postern' ), 'text', Plugin::settings()['origin'] );
		self::show_proxy();
		self::flag( 'ip', __( 'Privacy', 'postern' ), __( 'Send the address of the visitor to Postern', 'postern' ) );
		self::flag( 'country', '', __( 'Send its country', 'postern' ) );
		echo '</table>';
	}

	private static function show_proxy(): void {
		self::choice( 'proxy', __( 'What is in front of this server', 'postern' ), array(
			'none'       => __( 'Nothing, or a proxy for which the server sets the address already', 'postern' ),
			'cloudflare' => 'Cloudflare',
			'fastly'     => __( 'Fastly: needs the secret', 'postern' ),
			'cloudfront' => __( 'CloudFront: needs the secret', 'postern' ),
			'custom'     => __( 'Own proxies that send X-Forwarded-For: needs their addresses', 'postern' ),
		) );
		$proxies = Plugin::settings()['proxies'];
		self::row( 'proxies', __( 'Addresses of own proxies', 'postern' ), fn( $id, $name, $off ) => printf(
			'<textarea id="%s" name="%s" rows="3" class="regular-text" placeholder="10.0.0.0/8" %s>%s</textarea>',
			esc_attr( $id ),
			esc_attr( $name ),
			$off, // phpcs:ignore WordPress.Security.EscapeOutput
			esc_textarea( implode( "\n", $proxies ) )
		) );
		/* translators: %s: the name of a header */
		self::secret( 'proxy_secret', __( 'Secret of the proxy', 'postern' ), sprintf( __( 'At least 16 characters, which your CDN sends in the header %s.', 'postern' ), Address::SECRET_HEADER ) );
	}

	/** @param callable(string, string, string): mixed $field Gets the id, the name, and `disabled` for a constant. */
	private static function row( string $setting, string $label, callable $field ): void {
		$constant = Settings::constant( $setting );
		$is_fixed = defined( $constant );
		printf( '<tr><th scope="row"><label for="postern-%s">%s</label></th><td>', esc_attr( $setting ), esc_html( $label ) );
		$field( "postern-$setting", Plugin::OPTION . "[$setting]", $is_fixed ? 'disabled' : '' );
		if ( $is_fixed ) {
			/* translators: %s: the name of a constant */
			echo '<p class="description">' . esc_html( sprintf( __( 'Fixed by %s in wp-config.php.', 'postern' ), $constant ) ) . '</p>';
		}
		echo '</td></tr>';
	}

	private static function text( string $setting, string $label, string $type, string $example ): void {
		$value = 'origin' === $setting && ! defined( 'POSTERN_ORIGIN' ) ? (string) ( get_option( Plugin::OPTION, array() )['origin'] ?? '' ) : (string) Plugin::settings()[ $setting ];
		self::row( $setting, $label, fn( $id, $name, $off ) => printf(
			'<input id="%s" name="%s" type="%s" value="%s" placeholder="%s" class="regular-text" %s>',
			esc_attr( $id ),
			esc_attr( $name ),
			esc_attr( $type ),
			esc_attr( $value ),
			esc_attr( $example ),
			$off // phpcs:ignore WordPress.Security.EscapeOutput
		) );
	}

	/** A stored secret is never shown; an empty field leaves it as it is. */
	private static function secret( string $setting, string $label, string $about ): void {
		$is_stored = '' !== Plugin::settings()[ $setting ];
		self::row( $setting, $label, function ( $id, $name, $off ) use ( $setting, $is_stored, $about ) {
			printf(
				'<input id="%s" name="%s" type="password" autocomplete="off" value="" placeholder="%s" class="regular-text" %s>',
				esc_attr( $id ),
				esc_attr( $name ),
				$is_stored ? esc_attr__( 'Stored; leave it empty to keep it', 'postern' ) : '',
				$off // phpcs:ignore WordPress.Security.EscapeOutput
			);
			if ( $is_stored && '' === $off && 'key' !== $setting ) {
				printf( ' <label><input type="checkbox" name="%s[forget][%s]" value="1"> %s</label>', esc_attr( Plugin::OPTION ), esc_attr( $setting ), esc_html__( 'Remove', 'postern' ) );
			}
			echo '<p class="description">' . esc_html( $about ) . '</p>';
		} );
	}

	/** @param array<string, string> $choices */
	private static function choice( string $setting, string $label, array $choices ): void {
		$chosen = Plugin::settings()[ $setting ];
		self::row( $setting, $label, function ( $id, $name, $off ) use ( $choices, $chosen ) {
			echo '<fieldset>';
			foreach ( $choices as $value => $text ) {
				printf(
					'<label><input type="radio" %s name="%s" value="%s" %s %s required> %s</label><br>',
					array_key_first( $choices ) === $value ? 'id="' . esc_attr( $id ) . '"' : '',
					esc_attr( $name ),
					esc_attr( $value ),
					checked( $chosen, $value, false ),
					$off, // phpcs:ignore WordPress.Security.EscapeOutput
					esc_html( $text )
				);
			}
			echo '</fieldset>';
		} );
	}

	private static function flag( string $setting, string $label, string $text ): void {
		$is_on = (bool) Plugin::settings()[ $setting ];
		self::row( $setting, $label, fn( $id, $name, $off ) => printf(
			'<input type="hidden" name="%2$s" value="0" %5$s><label><input type="checkbox" id="%1$s" name="%2$s" value="1" %3$s %5$s> %4$s</label>',
			esc_attr( $id ),
			esc_attr( $name ),
			checked( $is_on, true, false ),
			esc_html( $text ),
			$off // phpcs:ignore WordPress.Security.EscapeOutput
		) );
	}
}
