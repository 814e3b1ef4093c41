import { type Static, Type } from 'typebox';
import { Sum } from '../schema.ts';

const fields = {
  provider: Type.String({ description: 'The operator: `mtn`, `mpesa` …' }),
  number: Type.String({ description: 'The phone that shows the prompt (E.164).' }),
  amount: Sum,
  currency: Type.String(),
  expires_at: Type.String({ format: 'date-time', description: 'When the operator ends the prompt.' }),
};

/** The payer's next step while the payment waits for a prompt. */
export const PhonePrompt = Type.Object(
  { type: Type.Literal('phone_prompt'), ...fields },
  { description: 'The payer confirms on the phone.' },
);

/** A prompt on a phone that its payer may still approve. */
export const OpenPrompt = Type.Object({
  ...fields,
  number: Type.String({ description: 'Phone number (E.164). Payers see only its last three digits.' }),
});
export type OpenPrompt = Static<typeof OpenPrompt>;
