import { describe, expect, it } from 'vitest';
import { createSandboxKyc } from '../../src/sandbox/kyc/provider.ts';
import { signCallback } from '../../src/sandbox/kyc/signed-callback.ts';
import { createSumsub } from '../../src/server/kyc/providers/sumsub.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { startFakeSumsub } from '../server/kyc/fake-sumsub.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeKycProvider } from './kyc-provider.ts';

describeKycProvider('sandbox', async () => {
  const { db, pool, drop } = await createTestDatabase();
  const key = Buffer.alloc(32, 7);
  const open = () => createSandboxKyc({ db, key });
  return {
    provider: open(),
    reopened: open(),
    undecided: { first_name: 'Ada', last_name: 'Silent' },
    decide: async (subject, state) => {
      await pool.query('update sandbox.kyc_checks set state = $1 where subject = $2', [state, subject]);
    },
    known: async subject =>
      (await pool.query('select 1 from sandbox.kyc_checks where subject = $1', [subject])).rowCount ?? 0,
    callback: (subject, at) => signCallback(key, { id: 'cb_1', at, subject }),
    close: () => drop(),
  };
});

const results = {
  approved: { reviewAnswer: 'GREEN' },
  rejected: { reviewAnswer: 'RED', reviewRejectType: 'FINAL', rejectLabels: ['FORGERY'] },
  more_needed: { reviewAnswer: 'RED', reviewRejectType: 'RETRY', moderationComment: 'The photo is not sharp.' },
};

describeKycProvider('Sumsub, a fake', async () => {
  const [sumsub, http] = [await startFakeSumsub(), createHttpExchange()];
  const open = () => createSumsub({ account: sumsub.account, http });
  return {
    provider: open(),
    reopened: open(),
    undecided: { first_name: 'Ada', last_name: 'Lovelace', address_country_code: 'GBR' },
    decide: async (subject, state) => sumsub.decide(subject, results[state]),
    known: async subject => sumsub.applicants.filter(each => each.externalUserId === subject).length,
    callback: sumsub.callback,
    close: async () => {
      http.close();
      await sumsub.close();
    },
  };
});

describe('Sumsub', () => {
  const now = new Date('2026-11-02T09:00:00Z');
  const ask = { subject: 'one', attempt: 1, reference: null, type: 'person', tier: 'basic', now } as const;

  it('gets the data by its own names, the level of the tier, and reasons for the customer', async () => {
    const [sumsub, http] = [await startFakeSumsub(), createHttpExchange()];
    const provider = createSumsub({ account: sumsub.account, http });
    const person = { first_name: 'Ada', last_name: 'Lovelace', birth_date: '1990-12-10', address_country_code: 'GBR' };
    await provider.submit({ ...ask, values: person });
    const info = { firstName: 'Ada', lastName: 'Lovelace', dob: '1990-12-10', country: 'GBR' };
    expect(sumsub.applicants[0]).toMatchObject({ level: 'person-basic', info });
    const organization = { 'organization.name': 'Nordlys ASA', 'organization.address_country_code': 'NOR' };
    await provider.submit({ ...ask, subject: 'two', type: 'organization', values: organization });
    const company = { companyInfo: { companyName: 'Nordlys ASA', country: 'NOR' } };
    expect(sumsub.applicants[1]).toMatchObject({ level: 'organization-basic', info: company });
    const reference = sumsub.applicants[0]?.id ?? null;
    for (const [result, outcome] of [
      [results.rejected, { state: 'rejected', reasons: ['FORGERY'] }],
      [results.more_needed, { state: 'more_needed', reasons: ['The photo is not sharp.'] }],
      [{ reviewAnswer: 'PURPLE' }, { state: 'unknown' }],
    ] as const) {
      sumsub.decide('one', result);
      expect(await provider.read({ ...ask, reference })).toMatchObject(outcome);
    }
    http.close();
    await sumsub.close();
    expect(await provider.read({ ...ask, reference })).toEqual({ state: 'unknown' });
    expect(provider.problem?.()).toBe('sumsub: does not answer');
  });
});
