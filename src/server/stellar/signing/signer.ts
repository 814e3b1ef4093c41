import { localKey, type SigningKey } from '../transaction/signing-key.ts';
import type { SignerDeps } from './signing.ts';
import { capOf } from './signing-rules.ts';

/** Holds the keys of the treasury and its channels, and signs only allowed transactions. No field exposes a key. */
export interface StellarSigner {
  /** The account that holds the money and pays every fee (G…). */
  readonly treasury: string;
  /** The account (G…) of a channel. Numbers start at 1, and each number always has the same account. */
  channelAddress(number: number): string;
  /**
   * Returns the envelope signed by the treasury, and by the channel whose sequence number it uses. Throws
   * `SigningRefused` for a forbidden transaction, and `StellarUnavailable` if the operator's key service does not
   * answer.
   */
  sign(envelopeXdr: string, channel: number | null): Promise<string>;
  /** The largest amount of the asset that one transaction may send, in stroops. Null: any amount. */
  transactionCap(asset: string): bigint | null;
  /**
   * Removes a signed transaction from the daily limit, because it can never enter a ledger. `hash`: the inner
   * transaction's hash.
   */
  forget(hash: string): Promise<void>;
}

const mostChannels = 1_000;

/** Creates the signer. The code that reads envelopes needs the Stellar SDK, so it is loaded with the first envelope. */
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
      return await signEnvelope(deps, accounts, envelopeXdr, channel === null ? null : channels.key(channel));
    },
  };
}

/** Derives each channel's key when it is first needed. */
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
