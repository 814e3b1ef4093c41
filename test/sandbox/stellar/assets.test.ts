import { createHash } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import { describe, expect, it } from 'vitest';
import { sandboxAssets } from '../../../src/sandbox/stellar/seeded/accounts.ts';

describe('the assets of the sandbox network', () => {
  it.each(Object.entries(sandboxAssets))('can be issued: the seed of %s is known', (code, asset) => {
    const seed = createHash('sha256').update(`pay-checkout sandbox/issuer/${code}`).digest();
    expect(asset).toBe(`${code}:${Keypair.fromRawEd25519Seed(seed).publicKey()}`);
  });
});
