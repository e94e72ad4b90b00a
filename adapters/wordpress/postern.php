<?php
/**
 * Plugin Name:       Postern
 * Description:       Decides with Postern who may have what content of this site, and on which terms.
 * Version:           0.1.0
 * Requires at least: 5.6
 * Requires PHP:      8.0
 * License:           Apache-2.0 OR GPL-2.0-or-later
 * Text Domain:       postern
 *
 * WordPress is GPL-2.0-or-later and Apache-2.0 alone fits only its version 3, so this folder is offered under both.
 */

defined( 'ABSPATH' ) || exit;

define( 'POSTERN_PLUGIN_FILE', __FILE__ );
require_once __DIR__ . '/core/load.php';
Postern\Plugin::start();
