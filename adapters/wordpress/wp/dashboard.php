<?php
/** The box on the dashboard: the last decisions about this site. */

namespace Postern;

final class Dashboard {
	private const KEPT     = 'postern_last_decisions';
	private const COUNT    = 10;
	private const SECONDS  = 60;

	public static function add(): void {
		if ( current_user_can( 'manage_options' ) && array() === Plugin::faults() ) {
			wp_add_dashboard_widget( 'postern', __( 'Postern: last decisions', 'postern' ), array( self::class, 'show' ) );
		}
	}

	public static function show(): void {
		$found = self::find();
		if ( is_string( $found ) ) {
			echo '<p>' . esc_html( $found ) . '</p>';
			return;
		}
		if ( array() === $found ) {
			echo '<p>' . esc_html__( 'The decisions about programs that visit this site will appear here.', 'postern' ) . '</p>';
			return;
		}
		echo '<table class="widefat striped"><thead><tr>';
		foreach ( array( __( 'Time', 'postern' ), __( 'Visitor', 'postern' ), __( 'Page', 'postern' ), __( 'Decision', 'postern' ) ) as $head ) {
			echo '<th scope="col">' . esc_html( $head ) . '</th>';
		}
		echo '</tr></thead><tbody>';
		foreach ( $found as $one ) {
			echo '<tr>';
			foreach ( self::cells( $one ) as $cell ) {
				echo '<td style="overflow-wrap:anywhere">' . esc_html( $cell ) . '</td>';
			}
			echo '</tr>';
		}
		echo '</tbody></table>';
	}

	/**
	 * @param array<string, mixed> $one
	 * @return string[]
	 */
	private static function cells( array $one ): array {
		$agent = $one['context']['userAgent'] ?? '';
		$who   = $one['requesterId'] ?? $one['crawler'] ?? ( '' === $agent ? __( 'No user agent', 'postern' ) : mb_substr( $agent, 0, 60 ) );
		$path  = preg_replace( '~^(?:https?://)?[^/]*~', '', (string) ( $one['url'] ?? '' ) );
		$is_served = $one['allowed'] || ! ( $one['enforced'] ?? true );
		return array(
			sprintf( /* translators: %s: a span of time */ __( '%s ago', 'postern' ), human_time_diff( (int) strtotime( $one['created'] ) ) ),
			$who,
			'' === $path ? (string) $one['externalId'] : $path,
			$one['allowed'] ? __( 'Allowed', 'postern' ) : ( $is_served ? __( 'Would be denied', 'postern' ) : __( 'Denied', 'postern' ) ) . ": {$one['reason']}",
		);
	}

	/** @return array<int, array<string, mixed>>|string The decisions, or why there are none. */
	private static function find() {
		if ( ! Connection::can_edit() ) {
			return __( 'Add a key for content with the permission analytics:read to see the last decisions here.', 'postern' );
		}
		$kept = get_transient( self::KEPT );
		if ( is_array( $kept ) ) {
			return $kept;
		}
		try {
			$host  = preg_replace( '~^https?://~', '', Plugin::settings()['origin'] );
			$found = Connection::request( 'GET', '/v1/access/decisions?limit=' . self::COUNT . '&url=' . rawurlencode( "$host/" ) )['data'] ?? array();
		} catch ( Unsent $error ) {
			return $error->getMessage();
		}
		set_transient( self::KEPT, $found, self::SECONDS );
		return $found;
	}
}
