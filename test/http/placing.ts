/** Holds the placing of items after an edit of a collection, as with a million items it takes a while. */
import { type TestService, testEngine } from '../../kit/service.ts';

/** Items stay where the edit of a collection has left them. */
export async function holdPlacing(postern: TestService): Promise<void> {
  const isProgress = "new.name = 'items_placed_to' and new.value <> '0'";
  if (testEngine() === 'sqlite') {
    const sql = `create trigger held before update on settings when ${isProgress} begin select raise(ignore); end`;
    return postern.tamper({ sql });
  }
  const body = `begin if ${isProgress} then return null; end if; return new; end`;
  await postern.tamper(
    { sql: `create or replace function held() returns trigger language plpgsql as '${body.replaceAll("'", "''")}'` },
    { sql: 'create trigger held before update on settings for each row execute function held()' },
  );
}

export const releasePlacing = (postern: TestService): Promise<void> =>
  postern.tamper({ sql: testEngine() === 'sqlite' ? 'drop trigger held' : 'drop trigger held on settings' });

export async function isPlaced(postern: TestService): Promise<boolean> {
  const rows = (await postern.rowsOf('settings')) as { name: string; value: string }[];
  return rows.some(({ name, value }) => name === 'items_placed_to' && value === 'all');
}
