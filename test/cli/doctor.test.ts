import { Keypair } from '@stellar/stellar-sdk/base';
import { expect, it } from 'vitest';
import { startFakeMpesa } from '../server/rails/fake-mpesa.ts';
import { startFakeMtn } from '../server/rails/fake-mtn.ts';
import { operatorSettings } from '../server/rails/operator-settings.ts';
import { runCommand } from './cli-lab.ts';

it('doctor fetches a token of each mobile-money connector, and names the settings of a refused login', async () => {
  const [mtn, mpesa] = await Promise.all([startFakeMtn(), startFakeMpesa()]);
  const { stdout } = await runCommand(['doctor'], {
    ...operatorSettings(mtn, mpesa),
    PAY_MTN_COLLECTION_API_KEY: 'canary',
    PAY_NETWORK: 'public',
    PAY_TREASURY_SECRET: Keypair.random().secret(),
    PAY_PUBLIC_URL: 'https://127.0.0.1:1',
    PAY_HORIZON_URL: 'http://127.0.0.1:1',
    DATABASE_URL: 'postgres://pay:pay@127.0.0.1:1/pay',
  });
  await Promise.all([mtn.close(), mpesa.close()]);
  const lines = stdout.split('\n');
  const found = lines.flatMap((line, index) =>
    line.includes('  mobile ') ? [line, ...(line.startsWith('fail') ? [lines[index + 1]] : [])] : [],
  );
  expect(found.map(line => line?.trim())).toEqual([
    `ok    mobile      MTN MoMo at ${mtn.url} accepts the login`,
    `fail  mobile      MTN MoMo Collections: answers 401 (${mtn.url})`,
    'Check PAY_MTN_COLLECTION_SUBSCRIPTION_KEY, PAY_MTN_COLLECTION_API_USER, PAY_MTN_COLLECTION_API_KEY, the address and the connection.',
    `ok    mobile      M-Pesa at ${mpesa.url} accepts the login`,
    `ok    mobile      M-Pesa Express at ${mpesa.url} accepts the login`,
  ]);
  expect(stdout).not.toContain('canary');
});
