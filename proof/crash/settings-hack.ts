/**
 * Loaded before the service by the power-cut proof alone: runs the same code with other settings of its connection, to
 * show that the proof sees the loss which the real settings prevent. POSTERN_TEST_PRAGMAS: `synchronous=normal,…`.
 */
import { DatabaseSync } from 'node:sqlite';

const others = (process.env.POSTERN_TEST_PRAGMAS ?? '').split(',').filter((one) => one !== '');
const exec = DatabaseSync.prototype.exec;

DatabaseSync.prototype.exec = function (sql: string): void {
  let text = sql;
  for (const other of others) {
    const [name] = other.split('=');
    text = text.replace(new RegExp(`pragma ${name} = \\w+`), `pragma ${other}`);
  }
  exec.call(this, text);
};
