/**
 * Answers the claims of a flush on limits and quotas within PostgreSQL, which keeps no row waiting for a node (see
 * decisions/ledger/postgres/trip). A function, because one statement that does the same is a plan of a hundred nodes:
 * to set it up takes longer than to record the decisions. Nothing of it is kept: other arithmetic is another function.
 */
const EXPIRY_STEP_MS = 600_000;
const APART_MS = 1_000;
const KEPT_MS = 7 * 86_400_000;
const UNUSED_MS = 400 * 86_400_000;

const rounded = (time: string): string => `(${time} + ${EXPIRY_STEP_MS - 1}) / ${EXPIRY_STEP_MS} * ${EXPIRY_STEP_MS}`;

const words = (text: string): string[] => text.split(' ');
/** The numbers of a limit, and of a slot, in the order in which they are passed. */
const LIMIT = words('requests length width claims must');
const SLOT = words(
  'chain is_counted units denies version start is_term since until ends first_alert last_alert named must claims reach',
);
const fieldsOf = (names: readonly string[], array: string, index: string) => (name: string) =>
  `${array}[${index} * ${names.length} + ${names.indexOf(name) - names.length + 1}]`;
const limit = fieldsOf(LIMIT, 'limits', 'k');
const slot = fieldsOf(SLOT, 'slots', 'i');
const named = fieldsOf(SLOT, 'slots', 'name_no');
const next = fieldsOf(SLOT, 'slots', '(i + 1)');

/** Does what `goOn` in decisions/ledger/postgres/time does. The newest time stands last but one, first, or second. */
const GO_ON = `if given is null then
    latest := at;
    base := case when at - clock > ${APART_MS} then at else clock end;
    for k in 1 .. keys loop
      i := case when k > lock_no then 2 when calendars[k] is null then -2 else 1 end;
      newest := nullif(btrim(split_part(states[k], ',', i), '[]'), '')::bigint;
      if i = -2 then newest := newest - ${limit('width')}; end if;
      if newest < base + ${APART_MS} then latest := greatest(latest, newest); end if;
    end loop;
    at := latest;
  end if;`;

const LIMITS = `for k in 1 .. lock_no loop
    if calendars[k] is null then
      span := ${limit('length')};
      last_bucket := (at / ${limit('width')} + 1) * ${limit('width')};
      after := at - span;
    else
      starts_at := date_trunc(calendars[k], timestamp 'epoch' + at * interval '1 millisecond');
      last_bucket := extract(epoch from starts_at) * 1000;
      span := extract(epoch from starts_at + ('1 ' || calendars[k])::interval) * 1000 - last_bucket;
      after := last_bucket - 1;
    end if;
    pairs := translate(coalesce(states[k], '[]'), '[]', '{}');
    kept := '{}';
    m := 0;
    sum := 0;
    for i in 1 .. cardinality(pairs) by 2 loop
      bucket := least(pairs[i], last_bucket);
      continue when bucket <= after;
      sum := sum + pairs[i + 1];
      if m > 0 and kept[m - 1] = bucket then
        kept[m] := kept[m] + pairs[i + 1];
      else
        kept[m + 1] := bucket;
        kept[m + 2] := pairs[i + 1];
        m := m + 2;
      end if;
    end loop;
    rooms[k] := ${limit('requests')} - sum;
    took := least(${limit('claims')}, greatest(0, rooms[k]));
    admitted[k] := took;
    if took < ${limit('claims')} and ${limit('must')} = 1 then unfit := unfit || -k; end if;
    if took > 0 then
      if m > 0 and kept[m - 1] = last_bucket then
        kept[m] := kept[m] + took;
      else
        kept[m + 1] := last_bucket;
        kept[m + 2] := took;
        m := m + 2;
      end if;
    end if;
    resets[k] := kept[1] + span;
    refused_resets[k] := null;
    if took < ${limit('claims')} then
      excess := sum + took - ${limit('requests')};
      j := -1;
      loop
        j := j + 2;
        excess := excess - kept[j + 1];
        exit when excess < 0;
      end loop;
      refused_resets[k] := kept[j] + span;
    end if;
    new_states[k] := '[' || array_to_string(kept, ',') || ']';
    expiries[k] := ${rounded('kept[m - 1] + span')};
    is_new := is_new or states[k] is null;
  end loop;`;

const QUOTAS = `used := array_fill(0::bigint, array[n]);
  low := used;
  high := array_fill(null::bigint, array[n]);
  refused_from := high;
  for i in 1 .. n loop
    if i > 1 and ${slot('chain')} <> ${fieldsOf(SLOT, 'slots', '(i - 1)')('chain')} then
      before := 0;
      name_no := 0;
    end if;
    low[i] := before;
    continue when ${slot('is_counted')} = 0;
    lock_no := lock_no + 1;
    count := translate(states[lock_no], '[]', '{}');
    if count is null or count[1] <> ${slot('version')} or at < ${slot('since')} or at >= ${slot('until')}
      or (${slot('is_term')} = 1 and count[2] <> ${slot('start')})
      or (${slot('reach')} > before and (count[2] < ${slot('start')} or count[5] > 0)) then
      unfit := unfit || i;
      continue;
    end if;
    used[i] := count[3];
    spent := greatest(0, ${slot('claims')} - before);
    if ${slot('denies')} = 1 then
      spent := least(spent, greatest(0, ${slot('units')} - count[3]));
      before := before + greatest(0, ${slot('units')} - count[3]);
      high[i] := before;
    end if;
    if spent > 0 then
      count[3] := count[3] + spent;
      if count[3] >= ${slot('first_alert')} and count[6] < ${slot('last_alert')} then
        foreach part in array alerts[i]::bigint[] loop
          if part > count[6] and count[3] * 1000000.0 >= part::numeric * ${slot('units')} then unfit := unfit || i; end if;
        end loop;
      end if;
      if count[7] = 0 and ${slot('denies')} = 0 and count[3] > ${slot('units')} then unfit := unfit || i; end if;
      new_states[lock_no] := '[' || array_to_string(count, ',') || ']';
      expiries[lock_no] := ${rounded(`greatest(coalesce(${slot('ends')}, at + ${UNUSED_MS}), at) + ${KEPT_MS}`)};
    end if;
    if ${slot('named')} = 1 then
      name_no := i;
      name_count := count;
    end if;
    -- The end of a chain that refuses.
    if name_no > 0 and ${slot('reach')} > before and (i = n or ${slot('chain')} <> ${next('chain')}) then
      refused_from[name_no] := before;
      if ${slot('must')} = 1 or (${slot('claims')} > before and (name_count[7] = 0
          or (name_count[3] >= ${named('first_alert')} and name_count[6] < ${named('last_alert')}))) then
        unfit := unfit || name_no;
      end if;
    end if;
  end loop;`;

/**
 * `locks`: the keys, those of limits first. `held`: numbers of keys that another transaction holds; with one, nothing
 * else is answered. `unfit`: numbers of limits (negative) and slots for which a node has to take the claims. With any,
 * nothing is written. A count has the numbers version, start, used, after, settlesAt, alerted, exceeded and opened.
 */
export const takeClaims = (name: string, table: string): string => `create function ${name}(
  given bigint, not_before bigint, locks text[], calendars text[], limits bigint[], alerts text[], slots bigint[],
  out at bigint, out held int[], out unfit int[], out rooms bigint[], out admitted bigint[], out resets bigint[],
  out refused_resets bigint[], out used bigint[], out low bigint[], out high bigint[], out refused_from bigint[]
) language plpgsql as $$
declare
  own record;
  keys int := cardinality(locks);
  states text[] := array_fill(null::text, array[keys]);
  new_states text[] := states;
  expiries bigint[] := array_fill(null::bigint, array[keys]);
  locked int := 0;
  is_new boolean := false;
  starts_at timestamp; last_bucket bigint; after bigint; span bigint; bucket bigint; sum bigint; took bigint;
  excess bigint; pairs bigint[]; kept bigint[]; m int; j int; i int; newest bigint; latest bigint; clock bigint; base bigint;
  n int := cardinality(slots) / ${SLOT.length}; lock_no int := cardinality(calendars);
  count bigint[]; before bigint := 0; spent bigint; part bigint; name_no int := 0; name_count bigint[];
begin
  for own in select l.key, l.state from ${table} as l where l.key = any(locks) order by l.key for update skip locked loop
    states[array_position(locks, own.key)] := own.state;
    locked := locked + 1;
  end loop;
  clock := floor(extract(epoch from clock_timestamp()) * 1000);
  at := coalesce(given, greatest(not_before, clock));
  if locked < keys then
    select array_agg(array_position(locks, l.key)) into held from ${table} as l
      where l.key = any(locks) and states[array_position(locks, l.key)] is null;
    if held is not null then return; end if;
  end if;

  ${GO_ON}

  ${LIMITS}

  ${QUOTAS}
  if unfit is not null then return; end if;

  update ${table} as l set state = t.state, expires_at = t.expires_at
    from unnest(locks, new_states, expiries) as t (key, state, expires_at)
    where l.key = t.key and t.state is not null and l.key = any(locks);
  if is_new then
    insert into ${table} (key, state, expires_at)
      select t.key, t.state, t.expires_at from unnest(locks, states, new_states, expiries) as t (key, old, state, expires_at)
      where t.old is null and t.state is not null order by t.key;
  end if;
end $$`;
