import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckRequest, KycProvider } from '../../src/server/kyc/provider.ts';

/** A provider and the outside world that decides. */
export interface ProviderLab {
  readonly provider: KycProvider;
  /** The provider after a restart. */
  readonly reopened: KycProvider;
  /** Values that the provider does not decide about by itself. */
  readonly undecided: Readonly<Record<string, string>>;
  /** The provider's staff decides. */
  decide(subject: string, state: 'approved' | 'rejected' | 'more_needed'): Promise<void>;
  /** Customers that the provider knows by this name. */
  known(subject: string): Promise<number>;
  /** A callback about the customer, as the provider signs it. */
  callback(subject: string, now: Date): { readonly headers: Record<string, string>; readonly body: string };
  close(): Promise<void>;
}

const now = new Date('2026-11-02T09:00:00Z');
let count = 0;

/** What each identity provider does, by the contract. */
export function describeKycProvider(name: string, open: () => Promise<ProviderLab>): void {
  describe(`the identity provider ${name}`, () => {
    let lab: ProviderLab;
    beforeAll(async () => {
      lab = await open();
    });
    afterAll(() => lab.close());

    const request = (changes: Partial<CheckRequest> = {}): CheckRequest => ({
      subject: `subject${++count}`,
      attempt: 1,
      reference: null,
      type: 'person',
      tier: 'basic',
      values: lab.undecided,
      now,
      ...changes,
    });
    const submit = async (asked: CheckRequest) => {
      const outcome = await lab.provider.submit(asked);
      if (outcome.state !== 'pending') throw new Error(`the check is ${outcome.state}`);
      return { ...asked, reference: outcome.reference };
    };

    it('begins one check for repeated requests', async () => {
      const asked = request();
      const first = await submit(asked);
      expect(await lab.reopened.submit(asked)).toMatchObject({ state: 'pending', reference: first.reference });
      expect(await lab.known(asked.subject)).toBe(1);
    });

    it.each(['approved', 'rejected', 'more_needed'] as const)('reads the decision: %s', async state => {
      const asked = await submit(request());
      expect(await lab.provider.read(asked)).toMatchObject({ state: 'pending' });
      await lab.decide(asked.subject, state);
      expect(await lab.reopened.read(asked)).toMatchObject({ state, reference: asked.reference });
    });

    it('checks the same customer again with new data', async () => {
      const asked = await submit(request());
      await lab.decide(asked.subject, 'more_needed');
      const again = await lab.provider.submit({ ...asked, attempt: 2, tier: 'standard' });
      expect(again).toMatchObject({ state: 'pending', reference: asked.reference });
      expect(await lab.provider.read({ ...asked, attempt: 2 })).toMatchObject({ state: 'pending' });
      expect(await lab.known(asked.subject)).toBe(1);
    });

    it('does not know another customer', async () => {
      expect(await lab.provider.read({ ...request(), reference: 'nobody' })).toBeNull();
    });

    it('opens its own recent callbacks only', async () => {
      const { subject } = await submit(request());
      const { headers, body } = lab.callback(subject, now);
      expect(lab.provider.verify(headers, Buffer.from(body), now)).toMatchObject({ subject, at: now });
      expect(lab.provider.verify({}, Buffer.from(body), now)).toBeNull();
      expect(lab.provider.verify(headers, Buffer.from(`${body} `), now)).toBeNull();
      expect(lab.provider.verify(headers, Buffer.from(body), new Date('2026-11-05T09:00:00Z'))).toBeNull();
    });
  });
}
