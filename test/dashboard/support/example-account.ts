const branding = {
  ...{ logo: null, icon: null, primary_color: null, background_color: null },
  ...{ font: 'system', border_style: 'rounded' },
};
/** An account as `GET /v1/account` answers it, without fields that the pages do not use. */
export const exampleAccount = {
  ...{
    id: 'acct_1',
    object: 'account',
    name: 'Nordlys Supply',
    support_email: 'help@nordlys.example',
    support_url: null,
  },
  settlement: { asset: 'USDC', stellar_address: null, schedule: 'automatic' },
  ...{ allowed_origins: ['https://shop.example'], redirect_origins: [], client_amounts: false, quote_seconds: 900 },
  ...{ match_bank_credits_by_amount: true, quote_grace_seconds: 600, late_money: 'wait' },
  ...{ session_seconds: 86_400, tolerance: { percent: 0.5, units: 1 }, receipts: false, locale: 'auto', branding },
  ...{ timezone: 'UTC', invoice_prefix: 'INV', bank_account: null, tax_id: null, contact: null, livemode: false },
  address: { line1: 'Kirkegata 1', city: 'Oslo', country: 'NO' },
  payouts: { approval_above: null },
};
