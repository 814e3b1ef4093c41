import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk/base';
import type { Page } from 'playwright';
import { type FreighterSettings, giveFreighter } from './freighter-double.ts';

/** A Freighter in a Playwright page. Its key is in Node, and the test sets the choices of its owner. */
export interface FreighterExtension {
  readonly key: Keypair;
  /** All signed envelopes, without the signature: base64 XDR. */
  readonly signed: readonly string[];
  /** Changes the settings and the owner's choices in the current document. */
  set(changes: Partial<FreighterSettings>): Promise<void>;
}

const testnet = { network: 'TESTNET', networkPassphrase: 'Test SDF Network ; September 2015' } as const;

/**
 * Installs the extension before the page's first document. The page's own `@stellar/freighter-api` uses it like the
 * real one, and the SDK signs here. By default it is on the sandbox's network, is new to the page, and its owner
 * approves everything.
 */
export async function installFreighter(
  page: Page,
  { key = Keypair.random(), ...settings }: Partial<FreighterSettings> & { readonly key?: Keypair } = {},
): Promise<FreighterExtension> {
  const signed: string[] = [];
  const chosen: FreighterSettings = {
    address: key.publicKey(),
    ...testnet,
    isAllowed: false,
    access: 'grant',
    signing: 'sign',
    ...settings,
  };
  await giveFreighter(page, chosen, (envelopeXdr, { address, networkPassphrase }) => {
    if (address !== key.publicKey()) throw new Error(`Freighter has no key of ${address}`);
    const transaction = TransactionBuilder.fromXdr(envelopeXdr, networkPassphrase);
    transaction.sign(key);
    signed.push(envelopeXdr);
    return transaction.toXdr();
  });
  return {
    key,
    signed,
    set: async changes => {
      Object.assign(chosen, changes);
      await page.evaluate(next => Object.assign(window.freighterDouble?.settings ?? {}, next), changes);
    },
  };
}
