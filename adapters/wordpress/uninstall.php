<?php
/** Removes everything that the plugin stored. What Postern recorded stays there. */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

function postern_uninstall_site(): void {
	global $wpdb;
	foreach ( array( 'postern', 'postern_files', 'postern_state', 'postern_import' ) as $name ) {
		delete_option( $name );
	}
	delete_transient( 'postern_last_decisions' );
	$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = 'postern_lock' OR option_name LIKE %s", $wpdb->esc_like( 'postern_due_' ) . '%' ) );
	wp_unschedule_hook( 'postern_sync' );
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $postern_site ) {
		switch_to_blog( $postern_site );
		postern_uninstall_site();
		restore_current_blog();
	}
} else {
	postern_uninstall_site();
}
foreach ( (array) glob( WP_CONTENT_DIR . '/postern/*' ) as $postern_file ) {
	unlink( $postern_file );
}
@rmdir( WP_CONTENT_DIR . '/postern' );
