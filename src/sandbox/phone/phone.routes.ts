import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { PayError } from '../../core/error.ts';
import type { OpenPrompt, PhonePayer } from './payer.ts';
import { testPin } from './payer.ts';

/** The phone's server: the prompts that the operators of test mode show, and the payer's answers. */
export interface PhoneRouteDeps {
  readonly payer: PhonePayer;
  /** The time of the process. */
  readonly now: () => Date;
  /** The merchant of the demo shop, whose prompts are listed without a number. Null before there is a merchant. */
  readonly demoMerchant: () => Promise<string | null>;
}

const config = { access: 'public' } as const;
const Query = Type.Object({ number: Type.Optional(Type.String({ pattern: '^\\+[0-9]{6,15}$' })) });
const Params = Type.Object({ id: Type.String({ pattern: '^sbx_prompt_[0-9A-Za-z]{22}$' }) });
const Answer = Type.Union([
  Type.Object({ choice: Type.Literal('approve'), pin: Type.String({ maxLength: 20 }) }),
  Type.Object({ choice: Type.Literal('refuse') }),
]);

/** A prompt on the phone page. `expires_in` is in seconds. */
const ShownPrompt = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  payee: Type.String(),
  number: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  expires_in: Type.Number(),
});

const path = '/sandbox/phone/prompts';

/**
 * Registers `/sandbox/phone/prompts`. Everyone may read and answer the prompts of a number they know: no money is real.
 * An answer with a PIN other than the test PIN is refused by the operator.
 */
export function registerSandboxPhone(app: FastifyInstance, { payer, now, demoMerchant }: PhoneRouteDeps): void {
  app.get<{ Querystring: Static<typeof Query> }>(
    path,
    { schema: { querystring: Query, response: { 200: Type.Array(ShownPrompt) }, hide: true }, config },
    async ({ query: { number } }, reply) => {
      void reply.header('cache-control', 'no-store');
      if (number !== undefined) return shownPrompts(await payer.open({ number }, now()));
      const merchant = await demoMerchant();
      return merchant === null ? [] : shownPrompts(await payer.open({ merchant_id: merchant }, now()));
    },
  );
  app.post<{ Params: Static<typeof Params>; Body: Static<typeof Answer> }>(
    `${path}/:id`,
    {
      schema: { params: Params, body: Answer, response: { 200: Type.Object({ taken: Type.Boolean() }) }, hide: true },
      config,
    },
    async ({ params: { id }, body }) => {
      const [found] = await payer.open({ id }, now());
      if (found === undefined) throw new PayError('illegal_state', 'The prompt has ended, or was already answered.');
      const isApproved = body.choice === 'approve' && body.pin === testPin;
      const refusal = body.choice === 'approve' ? 'wrong_pin' : 'refuse';
      await payer.answer(found.prompt, isApproved ? 'approve' : refusal, found.now);
      return { taken: isApproved };
    },
  );
}

/** A test number answers for itself, so its prompts appear on no phone. */
function shownPrompts(open: readonly OpenPrompt[]): Static<typeof ShownPrompt>[] {
  return open.filter(({ prompt }) => prompt.answered_at === null).map(shown);
}

function shown({ prompt, now }: OpenPrompt): Static<typeof ShownPrompt> {
  const { id, rail, payee, number, amount, currency, expires_at: expiresAt } = prompt;
  const expiresIn = (expiresAt.getTime() - now.getTime()) / 1000;
  return { id, provider: rail, payee, number, amount: Number(amount), currency, expires_in: expiresIn };
}
