import { Keypair } from '@stellar/stellar-sdk/base';
import { newId } from '../../../src/core/id.ts';

/** The secret test key of the benchmark's merchant. */
export const key = `sk_test_${'p'.repeat(32)}`;

/** The maximum number of payouts in a request. */
export const many = 10_000;

/** A payout to a Stellar account, with or without a memo. */
export function walletRow(index: number, address: string, memo?: string): object {
  const wallet = { type: 'crypto_wallet', chain: 'stellar', address, asset: 'XLM' };
  return { ...sums(index), destination: memo === undefined ? wallet : { ...wallet, memo } };
}

/** A payout to a mobile-money wallet. */
export function mobileRow(index: number): object {
  // The sandbox's operators pay every number that ends in 000.
  const number = `+23324${1_000 + (index % 9_000)}000`;
  return { ...sums(index), destination: { type: 'mobile_money', provider: 'mtn', number } };
}

/** The fields that every payout of a payroll has. */
function sums(index: number) {
  return {
    amount: 100 + (index % 500),
    currency: 'USD',
    reference: `salary-${newId('payout')}`,
    description: 'November',
    metadata: { employee: `e-${index}` },
  };
}

/** Rows of a payroll: three fifths to Stellar accounts, two fifths to mobile-money wallets. */
export function mixedRows(count: number): object[] {
  const addresses = Array.from({ length: 100 }, () => Keypair.random().publicKey());
  return Array.from({ length: count }, (_, index) =>
    index % 5 < 3 ? walletRow(index, addresses[index % addresses.length] ?? '') : mobileRow(index),
  );
}

/** Calls the service as the benchmark's merchant. Throws if the service refuses the call. */
export async function api<T>(url: string, route: string, body?: object | string): Promise<T> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json', 'idempotency-key': newId('event') }),
  };
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${url}${path}`, { method, headers, ...(text !== undefined && { body: text }) });
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Adds test money to the available balance, in minor units of USD. */
export async function fund(url: string, amount: number): Promise<void> {
  await api(url, 'POST /v1/test_helpers/fund', { currency: 'USD', amount });
}
