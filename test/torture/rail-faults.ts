import type pg from 'pg';

/**
 * Faults of the sandbox's bank and operators. They run inside the service and are reached by SQL, so their line is their
 * tables: a fifth of the calls fail before they arrive, are carried out without an answer, or are slow.
 */
const faults = `
create sequence sandbox.faults_met;
create function sandbox.fail(share float, fault text) returns boolean language plpgsql volatile as $$
begin
  if random() < share then
    -- A sequence also counts what is rolled back.
    perform nextval('sandbox.faults_met');
    raise exception '%', fault using errcode = 'io_error';
  end if;
  return true;
end $$;
create function sandbox.fail_write() returns trigger language plpgsql volatile as $$
begin
  if random() < 0.04 then
    perform nextval('sandbox.faults_met');
    perform pg_sleep(0.5);
  end if;
  perform sandbox.fail(tg_argv[0]::float, tg_argv[1]);
  return null;
end $$;

create trigger torture before insert on sandbox.mobile_transfers for each statement
  execute function sandbox.fail_write('0.08', 'the operator did not receive the order');
create policy torture on sandbox.mobile_transfers
  using ((select sandbox.fail(0.08, 'the answer of the operator was lost'))) with check (true);
alter table sandbox.mobile_transfers enable row level security, force row level security;

create trigger torture before insert on sandbox.bank_files for each statement
  execute function sandbox.fail_write('0.1', 'the bank did not receive the file');
create trigger torture before update of state on bank_files for each statement
  execute function sandbox.fail_write('0.1', 'the service does not learn that the bank has the file');
create policy torture on sandbox.bank_answers
  using ((select sandbox.fail(0.05, 'the inbox of the bank cannot be read'))) with check (true);
alter table sandbox.bank_answers enable row level security, force row level security;
create trigger torture before update on sandbox.bank_answers for each statement
  execute function sandbox.fail_write('0.15', 'an answer stays in the inbox and is seen again');
`;

const healing = `
drop trigger torture on sandbox.mobile_transfers;
drop policy torture on sandbox.mobile_transfers;
alter table sandbox.mobile_transfers disable row level security, no force row level security;
drop trigger torture on sandbox.bank_files;
drop trigger torture on bank_files;
drop policy torture on sandbox.bank_answers;
drop trigger torture on sandbox.bank_answers;
alter table sandbox.bank_answers disable row level security, no force row level security;
drop function sandbox.fail_write, sandbox.fail;
`;

/** Lets the bank and the operators fail. */
export async function breakRails(pool: pg.Pool): Promise<void> {
  await pool.query(faults);
}

/** Ends the faults and returns how many there were. */
export async function healRails(pool: pg.Pool): Promise<number> {
  await pool.query(healing);
  const { rows } = await pool.query(
    'select case when is_called then last_value else 0 end::int as met from sandbox.faults_met',
  );
  await pool.query('drop sequence sandbox.faults_met');
  return rows[0]?.met ?? 0;
}
