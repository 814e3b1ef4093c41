import type {
  CryptoAssetOption,
  CryptoTransfer,
  PayerHolding,
  PayerWallet,
  WalletTransaction,
} from '../../../src/api/crypto.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { exampleNow } from './example-payment.ts';

const issuer = 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';

export const usdc = `USDC:${issuer}`;
export const eurc = 'EURC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX';

export const payerAddress = 'GAIUIUG5TUGDGKHJMQYCMHVJUKO5H4TYHHTC4ZL7ZTVFQ7MIPDDYQTLV';

export const muxedAddress = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAABUTGI4PZU';
export const baseAddress = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

export const testnetPassphrase = 'Test SDF Network ; September 2015';

/** Amounts of each asset for €128.40. */
const prices: readonly (readonly [asset: string, amount: number, rate: string])[] = [
  ['XLM', 412.0943211, '3.2094573'],
  ['NGNC:GBJQP53C23AZLN7ITE5L72T3R2IY6KZLKNY74IFBY2JTURIZZ6GACXFA', 215_420.5, '1677.7297508'],
  [usdc, 139.214, '1.0842211'],
  ['BRLC:GBSSMOQOU6SCAHT5P3MDANGLUIVZ7MXA4A54DNF5FNE5CP3QSKTQ6MLE', 751.14, '5.85'],
  [eurc, 128.4, '1'],
];

/** The offered assets, in an order that the element must change. */
export function exampleAssets(due = 12_840): CryptoAssetOption[] {
  return prices.map(([asset, amount, rate]) => ({
    chain: 'stellar',
    chain_name: 'Stellar',
    asset,
    amount: ((amount * due) / 12_840).toFixed(7),
    rate,
    network_fee: '0.0000100',
    confirmations: 1,
    eta_seconds: 5,
    wallets: ['freighter', 'sep7'],
    network: 'TESTNET',
    network_passphrase: testnetPassphrase,
  }));
}

/** The awaited transfer. The link has the length of a signed link. */
export function exampleTransfer(change: Partial<CryptoTransfer> = {}): CryptoTransfer {
  const { asset = usdc, amount = '139.2140000', address = muxedAddress } = change;
  const [code, from] = asset.split(':');
  const uri = `web+stellar:pay?destination=${address}&amount=${amount}${from ? `&asset_code=${code}&asset_issuer=${from}` : ''}&msg=Order%20A-1042&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015&origin_domain=pay.example&signature=JTlXMGh0ZkVxN2cwQ3R4b3pMd0pZ${'Zk5zR2pXc1Z5'.repeat(4)}%3D%3D`;
  return {
    type: 'crypto_transfer',
    chain: 'stellar',
    asset,
    address,
    base_address: baseAddress,
    memo: '890263',
    memo_type: 'id',
    amount,
    amount_received: '0.0000000',
    uri,
    qr: { format: 'sep7', payload: uri },
    confirmations: 0,
    required_confirmations: 1,
    expires_at: new Date(exampleNow + 885_000).toISOString(),
    ...change,
  };
}

/** A payment that waits for a crypto transfer. */
export function awaitingCrypto(change: Partial<CryptoTransfer> = {}): Partial<Payment> {
  return { phase: 'awaiting_funds', method: 'crypto', next_action: exampleTransfer(change) };
}

const holdings: readonly PayerHolding[] = [
  { asset: 'XLM', balance: '3.2000000', amount: '412.0943211', amount_max: '414.1547927', path: [] },
  { asset: usdc, balance: '20.0000000', amount: '139.2140000', amount_max: '139.2140000', path: [] },
  { asset: eurc, balance: '5120.5500000', amount: '128.9013000', amount_max: '129.5458065', path: ['XLM'] },
  {
    asset: 'BRLC:GBSSMOQOU6SCAHT5P3MDANGLUIVZ7MXA4A54DNF5FNE5CP3QSKTQ6MLE',
    balance: '900.0000000',
    amount: '752.0000000',
    amount_max: '755.7600000',
    path: [],
  },
  {
    asset: 'SHELL:GBJQP53C23AZLN7ITE5L72T3R2IY6KZLKNY74IFBY2JTURIZZ6GACXFA',
    balance: '12000.0000000',
    amount: null,
    amount_max: null,
    path: [],
  },
];

/** The payer's account: two holdings can pay, three cannot. */
export function exampleWallet(change: Partial<PayerWallet> = {}): PayerWallet {
  return { address: payerAddress, problem: null, assets: [...holdings], ...change };
}

/** The transaction that pays with a holding. */
export function exampleTransaction(
  id: string,
  asset: string,
  { asset: wanted, amount }: CryptoTransfer,
): WalletTransaction {
  const holding = holdings.find(held => held.asset === asset);
  return {
    id,
    object: 'wallet_transaction',
    chain: 'stellar',
    address: payerAddress,
    asset,
    amount: holding?.amount ?? amount,
    amount_max: holding?.amount_max ?? amount,
    slippage_percent: '0.50',
    destination_asset: wanted,
    destination_amount: amount,
    path: holding?.path ?? [],
    network_passphrase: testnetPassphrase,
    network: 'TESTNET',
    envelope_xdr: `AAAA${id}`,
    expires_at: new Date(exampleNow + 180_000).toISOString(),
  };
}
