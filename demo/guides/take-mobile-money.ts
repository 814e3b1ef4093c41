/**
 * A program that takes a payment by mobile money. The payer refuses the first prompt and approves the second one.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/take-mobile-money.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Takes UGX 75,000 from a phone in Uganda. Returns the payment, and why the first prompt took nothing. */
export async function takeMobileMoney(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  const { id } = await pay.payments.create({
    amount: 75_000,
    currency: 'UGX',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['mobile_money'],
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
  });
  const { mobile_money: offered } = await pay.payments.options(id);
  for (const { name, country, amount, currency } of offered?.operators ?? []) {
    console.log(`${name}, ${country}: ${amount} ${currency}`);
  }

  // In test mode the end of the number decides: 039 refuses the prompt, 789 approves it.
  await pay.payments.confirm(id, { method: 'mobile_money', provider: 'mtn', number: '+256772123039' });
  let refusal: string | null = null;
  for await (const { last_attempt: last } of pay.payments.stream(id)) {
    refusal = last?.code ?? null;
    if (refusal !== null) break;
  }
  console.log(`no money was taken: ${refusal}`);

  const { next_action: next } = await pay.payments.confirm(id, {
    method: 'mobile_money',
    provider: 'mtn',
    number: '+256772123789',
  });
  if (next?.type === 'phone_prompt') console.log(`confirm on ${next.number} until ${next.expires_at}`);
  for await (const { status } of pay.payments.stream(id)) {
    if (status !== 'pending') break;
  }
  return { payment: await pay.payments.retrieve(id), refusal };
}

if (import.meta.main) {
  await takeMobileMoney(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
