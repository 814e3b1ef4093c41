import { getNetwork, isConnected, requestAccess, signTransaction } from '@stellar/freighter-api';
import { type Wallet, WalletProblem } from './wallet.ts';

/** Freighter's error code after the payer pressed "reject" or closed its window. */
const declined = -4;

/** Freighter, the browser extension of the Stellar Development Foundation, through `@stellar/freighter-api`. */
export const freighter: Wallet = {
  name: 'Freighter',
  home: 'https://www.freighter.app/',
  async detect() {
    const { isConnected: isThere } = await isConnected();
    return isThere;
  },
  async connect() {
    const { address, error } = await requestAccess();
    return answer(address, error);
  },
  async network() {
    const { network, networkPassphrase, error } = await getNetwork();
    return { name: network, passphrase: answer(networkPassphrase, error) };
  },
  async sign(envelopeXdr, { address, networkPassphrase }) {
    const { signedTxXdr, error } = await signTransaction(envelopeXdr, { address, networkPassphrase });
    return answer(signedTxXdr, error);
  },
};

/** The requested text. After an error, Freighter returns an empty text or no text. */
function answer(text: string | undefined, error: { code: number; message: string } | undefined): string {
  if (error?.code === declined) throw new WalletProblem('rejected', error.message);
  if (error || !text) throw new WalletProblem('failed', error?.message ?? '');
  return text;
}
