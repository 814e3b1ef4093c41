import {
  Account,
  Asset,
  Horizon,
  type Keypair,
  Memo,
  Networks,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk';

/** The network's passphrase: the sandbox has the testnet's. */
export const testnet: string = Networks.TESTNET;

/** The test assets by code, as the sandbox issues them. */
export const assets = {
  USDC: 'USDC:GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP',
  EURC: 'EURC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX',
} as const;

/** The SDK's asset of `XLM` or `CODE:ISSUER`. */
export function assetOf(name: string): Asset {
  const [code = '', issuer] = name.split(':');
  return issuer === undefined ? Asset.native() : new Asset(code, issuer);
}

/** Somebody else on the network, who speaks with its Horizon by the real SDK. */
export interface StellarLab {
  readonly horizon: Horizon.Server;
  /** Opens the account with test XLM. */
  fund(key: Keypair): Promise<void>;
  /** Makes, signs and submits a transaction, and waits for its ledger. Resolves to its hash. */
  submit(key: Keypair, operations: readonly xdr.Operation[], memo?: Memo): Promise<string>;
  /** What the account holds of an asset; 0 where it holds none. */
  balance(address: string, asset: string): Promise<number>;
}

/** Speaks with the network of the service at the address. */
export function stellarLab(serviceUrl: string): StellarLab {
  const url = `${serviceUrl}/sandbox/horizon`;
  const horizon = new Horizon.Server(url, { allowHttp: true });
  return {
    horizon,
    async fund(key) {
      await horizon.friendbot(key.publicKey()).call();
    },
    async submit(key, operations, memo = Memo.none()) {
      const { sequence } = await horizon.loadAccount(key.publicKey());
      const builder = new TransactionBuilder(new Account(key.publicKey(), sequence), {
        ...{ fee: '10000', networkPassphrase: testnet, memo, timebounds: { minTime: 0, maxTime: 0 } },
      });
      for (const operation of operations) builder.addOperation(operation);
      const transaction = builder.build();
      transaction.sign(key);
      return (await horizon.submitTransaction(transaction)).hash;
    },
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
