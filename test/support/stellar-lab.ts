import { createHash } from 'node:crypto';
import {
  Account,
  Asset,
  Horizon,
  Keypair,
  Memo,
  Networks,
  Operation,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk';

/** The sandbox network has the same passphrase as the testnet. */
export const testnet: string = Networks.TESTNET;

/** The sandbox's test assets by code. */
export const assets = {
  USDC: 'USDC:GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP',
  EURC: 'EURC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX',
  BRLC: 'BRLC:GBSSMOQOU6SCAHT5P3MDANGLUIVZ7MXA4A54DNF5FNE5CP3QSKTQ6MLE',
} as const;

/** The SDK's asset for `XLM` or `CODE:ISSUER`. */
export function assetOf(name: string): Asset {
  const [code = '', issuer] = name.split(':');
  return issuer === undefined ? Asset.native() : new Asset(code, issuer);
}

/** The key pair of a test asset's issuer. It is public. */
function issuerOf(name: string): Keypair {
  const [code] = name.split(':');
  const seed = createHash('sha256').update(`pay-checkout sandbox/issuer/${code}`).digest();
  return Keypair.fromRawEd25519Seed(seed);
}

/** Accounts of the network. They use its Horizon through the real SDK. */
export interface StellarLab {
  readonly horizon: Horizon.Server;
  /** Opens the account with test XLM. Gives it 1,000 of each asset in `held`. */
  fund(key: Keypair, ...held: readonly string[]): Promise<void>;
  /** Makes, signs and submits a transaction, and waits for its ledger. Returns its hash. */
  submit(key: Keypair, operations: readonly xdr.Operation[], memo?: Memo): Promise<string>;
  /** The account's balance of an asset. 0 without a trust line. */
  balance(address: string, asset: string): Promise<number>;
}

/** Uses the network of the service at this URL. */
export function stellarLab(serviceUrl: string): StellarLab {
  const url = `${serviceUrl}/sandbox/horizon`;
  const horizon = new Horizon.Server(url, { allowHttp: true });

  /** Sends a transaction. The first key is its source. */
  async function send(keys: readonly Keypair[], operations: readonly xdr.Operation[], memo: Memo): Promise<string> {
    const source = keys[0]?.publicKey() ?? '';
    const { sequence } = await horizon.loadAccount(source);
    const builder = new TransactionBuilder(new Account(source, sequence), {
      fee: '10000',
      networkPassphrase: testnet,
      memo,
      timebounds: { minTime: 0, maxTime: 0 },
    });
    for (const operation of operations) builder.addOperation(operation);
    const transaction = builder.build();
    transaction.sign(...keys);
    // Skips the check of SEP-29, because some payers' wallets do not support it.
    return (await horizon.submitTransaction(transaction, { skipMemoRequiredCheck: true })).hash;
  }

  return {
    horizon,
    async fund(key, ...held) {
      const destination = key.publicKey();
      await horizon.friendbot(destination).call();
      if (held.length === 0) return;
      const issuers = held.map(issuerOf);
      const operations = held.flatMap((name, at) => [
        Operation.changeTrust({ asset: assetOf(name) }),
        Operation.payment({
          source: issuers[at]?.publicKey() ?? '',
          destination,
          asset: assetOf(name),
          amount: '1000',
        }),
      ]);
      await send([key, ...issuers], operations, Memo.none());
    },
    submit: (key, operations, memo = Memo.none()) => send([key], operations, memo),
    async balance(address, asset) {
      const { balances } = await horizon.loadAccount(address);
      const wanted = assetOf(asset);
      const found = balances.find(balance =>
        wanted.isNative()
          ? balance.asset_type === 'native'
          : 'asset_code' in balance &&
            balance.asset_code === wanted.getCode() &&
            balance.asset_issuer === wanted.getIssuer(),
      );
      return Number(found?.balance ?? 0);
    },
  };
}
