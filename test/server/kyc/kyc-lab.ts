import { expect } from 'vitest';
import type { Kyc } from '../../../src/api/kyc/kyc.ts';
import { kycCallbackKey } from '../../../src/sandbox/kyc/provider.ts';
import { signCallback } from '../../../src/sandbox/kyc/signed-callback.ts';
import { loadRootSecret } from '../../../src/server/platform/root-secret.store.ts';
import { createSecrets } from '../../../src/server/platform/secrets.ts';
import type { TestAnswer } from '../../support/app.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

/** A person with all fields of the tier `basic`. */
export const ada = { first_name: 'Ada', last_name: 'Lovelace', birth_date: '1990-12-10', address_country_code: 'GBR' };

/** The further fields of the tier `standard`. */
export const adaStandard = {
  address: '12 St James’s Square\nLondon',
  city: 'London',
  mobile_number: '+447911123456',
  id_type: 'passport',
  id_country_code: 'GBR',
  id_number: '925665416',
  id_expiration_date: '2031-05-01',
};

/** The app, with calls about identity checks. */
export interface KycLab extends PaymentLab {
  /** A new customer's id. */
  customer(key?: string): Promise<string>;
  put(customer: string, body: object, key?: string): Promise<TestAnswer>;
  kyc(customer: string): Promise<Kyc>;
  /** A new customer whose check of these fields was followed until the provider answered. */
  checked(fields?: object): Promise<string>;
  /** Posts a callback of the sandbox provider about the customer, signed unless `changes` break it. */
  callback(customer: string, changes?: Partial<CallbackChanges>): Promise<TestAnswer>;
  /** What the sandbox provider knows of the customer from now on. */
  provider(customer: string, state: 'pending' | 'approved' | 'rejected'): Promise<void>;
  test(customer: string, body: object): Promise<TestAnswer>;
}

interface CallbackChanges {
  readonly id: string;
  readonly at: Date;
  readonly subject: string;
  readonly signature: string;
}

export async function startKycLab(): Promise<KycLab> {
  const lab = await startPaymentLab();
  const root = await loadRootSecret(lab.database.db);
  const secrets = createSecrets(root);
  let count = 0;
  const subjectOf = (customer: string) =>
    secrets.railToken('kyc sandbox', lab.merchant.id, customer.replace('cus_', 'kyc_'));
  const customer = async (key?: string) => {
    const body = { email: `customer-${++count}@example.com` };
    const made = await lab.request('POST /v1/customers', { body, ...(key !== undefined && { key }) });
    expect(made.status, made.text).toBe(201);
    return made.body.id as string;
  };
  const put: KycLab['put'] = (id, body, key) =>
    lab.request(`PUT /v1/customers/${id}/kyc`, { body, ...(key !== undefined && { key }) });
  return {
    ...lab,
    customer,
    put,
    kyc: async id => (await lab.request(`GET /v1/customers/${id}/kyc`)).body,
    checked: async (fields = ada) => {
      const id = await customer();
      const answer = await put(id, fields);
      expect([answer.status, answer.body.status], answer.text).toEqual([200, 'under_review']);
      await lab.sweep('kyc.checks');
      return id;
    },
    callback: (id, changes = {}) => {
      const { signature, ...callback } = {
        id: `cb_${++count}`,
        at: lab.clock.now(),
        subject: subjectOf(id),
        ...changes,
      };
      const { headers, body } = signCallback(kycCallbackKey(root), callback);
      const signed = { ...headers, ...(signature !== undefined && { 'webhook-signature': signature }) };
      return lab.request('POST /v1/kyc/callbacks/sandbox', { key: null, headers: signed, body });
    },
    provider: async (id, state) => {
      await lab.database.pool.query('update sandbox.kyc_checks set state = $1 where subject = $2', [
        state,
        subjectOf(id),
      ]);
    },
    test: (id, body) => lab.request(`POST /v1/test_helpers/customers/${id}/kyc`, { body }),
  };
}
