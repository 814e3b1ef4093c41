import type { SignerDeps } from './signing.ts';
import { localKey, type SigningKey } from './signing-key.ts';
import { capOf } from './spending-caps.ts';

/**
 * Holds the keys of the treasury and of its channels, and signs what it knows: money sent out through a channel, money
 * claimed, the treasury’s own set-up, and more fee for what it signed before. What it refuses throws SigningRefused.
 * Nothing of a key is in any of its fields.
 */
export interface StellarSigner {
  /** The account the money is in, and who pays every fee (G…). */
  readonly treasury: string;
  /** The account of a channel (G…): from 1 on, the same for ever. */
  channelAddress(number: number): string;
  /** The envelope signed by the treasury and, where a channel lends its sequence number, by that channel. */
  sign(envelopeXdr: string, channel: number | null): Promise<string>;
  /** The most that one transaction may send of the asset, in stroops; null: any amount. */
  transactionCap(asset: string): bigint | null;
  /** Says that a signed transaction (hash of the inner one) will never be in a ledger: it no longer counts against the day. */
  forget(hash: string): Promise<void>;
}

/** There are never more channels than this. */
const mostChannels = 1_000;

/** Makes the signer. What reads envelopes is loaded with the first one. */
export function createSigner(deps: SignerDeps): StellarSigner {
  const { treasury } = deps;
  const channels = createChannelKeys(deps.secrets);
  const accounts = {
    treasury: treasury.address,
    isChannel: channels.has,
    isHeld: (asset: string) => deps.heldAssets.includes(asset),
  };
  return {
    treasury: treasury.address,
    channelAddress: number => channels.key(number).address,
    transactionCap: asset => capOf(deps.transactionCaps, asset),
    forget: hash => deps.spendBook.forget(treasury.address, hash),
    sign: async (envelopeXdr, channel) => {
      const { signEnvelope } = await import('./signing.ts');
      const request = { envelopeXdr, channel: channel === null ? null : channels.key(channel) };
      return await signEnvelope(deps, accounts, request);
    },
  };
}

/** The channels’ keys, each made when it is first asked for. */
function createChannelKeys(secrets: SignerDeps['secrets']) {
  const keys: SigningKey[] = [];
  const key = (number: number): SigningKey => {
    if (!Number.isInteger(number) || number < 1 || number > mostChannels) {
      throw new RangeError(`there is no channel ${number}`);
    }
    while (keys.length < number) keys.push(localKey(secrets.stellarSeed(`channel ${keys.length + 1}`)));
    return keys[number - 1] as SigningKey;
  };
  return { key, has: (address: string) => keys.some(each => each.address === address) };
}
