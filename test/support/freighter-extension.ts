import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk/base';
import type { Page } from 'playwright';
import { type FreighterSettings, giveFreighter } from './freighter-double.ts';

/** A Freighter in a Playwright page whose key is in Node, and whose owner does what the test says. */
export interface FreighterExtension {
  /** The account that is chosen in it. */
  readonly key: Keypair;
  /** Every envelope it was asked to sign and signed, as it came: base64 XDR without its signature. */
  readonly signed: readonly string[];
  /** Changes what it is set to and what its owner does, in the document that is open. */
  set(changes: Partial<FreighterSettings>): Promise<void>;
}

const testnet = { network: 'TESTNET', networkPassphrase: 'Test SDF Network ; September 2015' } as const;

/**
 * Gives the page the extension before its first document. The page's own `@stellar/freighter-api` speaks with it as with
 * the real one; signatures are made here, by the SDK. Unless told otherwise it is on the sandbox's network, has never
 * been asked by the page, and its owner says yes to everything.
 */
export async function installFreighter(
  page: Page,
  { key = Keypair.random(), ...settings }: Partial<FreighterSettings> & { readonly key?: Keypair } = {},
): Promise<FreighterExtension> {
  const signed: string[] = [];
  const chosen: FreighterSettings = {
    ...{ address: key.publicKey(), ...testnet, isAllowed: false, access: 'grant', signing: 'sign' },
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
