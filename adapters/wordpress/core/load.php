<?php
/** Loads the part of the plugin that needs nothing of WordPress. */

spl_autoload_register(
	static function ( string $name ): void {
		if ( ! str_starts_with( $name, 'Postern\\' ) ) {
			return;
		}
		$files = array( 'Unanswered' => 'service', 'Unsent' => 'connection' );
		$class = substr( $name, 8 );
		$file  = $files[ $class ] ?? strtolower( preg_replace( '~(?<!^)[A-Z]~', '-$0', $class ) );
		foreach ( array( 'core', 'wp' ) as $folder ) {
			$path = dirname( __DIR__ ) . "/$folder/$file.php";
			if ( is_file( $path ) ) {
				require_once $path;
				return;
			}
		}
	}
);
