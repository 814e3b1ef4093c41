/** The methods of the payment. The card frame is on another site, as on any shop's page. */
export const benchOptions = (frameUrl: string) => ({
  object: 'payment_options',
  card: { brands: ['visa'], frame_url: frameUrl, amount: 12_840, currency: 'EUR' },
  bank_transfer: { rails: [{ rail: 'sepa', currency: 'EUR', amount: 12_840, settlement_days: 0 }] },
  crypto: { assets: [benchAsset] },
});

const benchAsset = {
  chain: 'stellar',
  chain_name: 'Stellar',
  asset: 'XLM',
  amount: '512.0000000',
  rate: '4',
  network_fee: '0.0000100',
  confirmations: 1,
  eta_seconds: 5,
  wallets: ['freighter', 'sep7'],
  network: 'TESTNET',
  network_passphrase: 'Test SDF Network ; September 2015',
};

/** A payment that was created now. */
export function benchPayment(): object {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const moments = { expires_at: at(900), session_expires_at: at(86_400), created_at: at(0) };
  const quote = { ...fixed.quote, created_at: moments.created_at, expires_at: moments.expires_at };
  return { ...fixed, ...moments, quote };
}

const fixed = {
  id: 'pay_bench',
  object: 'payment',
  status: 'pending',
  phase: 'awaiting_payer',
  exception: null,
  checkout_url: 'http://127.0.0.1/checkout/x',
  amount: 12_840,
  currency: 'EUR',
  amount_received: 0,
  amount_refunded: 0,
  description: 'Order A-1042',
  reference: 'A-1042',
  line_items: [],
  locale: null,
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  settlement_address: null,
  settlement_mode: 'custodial',
  payment_methods: ['card', 'bank_transfer', 'crypto'],
  redirect_url: null,
  method: null,
  next_action: null,
  open_prompt: null,
  last_attempt: null,
  quote: { id: 'quote_bench', settlement_asset: 'USDC', settlement_amount: '139.9560000', rate: '1.09' },
  settlement: { status: 'none', asset: 'USDC', amount: null, tx_hash: null, ledger: null },
  failure: null,
  merchant: { name: 'Nordlys Supply', support_email: null, support_url: null, logo: null, primary_color: null },
  created_via: 'server',
  livemode: false,
  completed_at: null,
};
