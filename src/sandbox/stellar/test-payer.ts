import { PayError } from '../../core/error.ts';
import type { SandboxPayment, SandboxReceipt } from './sandbox-money.ts';
import type { SandboxStellar } from './sandbox-stellar.ts';

/** Pays on the sandbox network as a test asks for it; says what the ledger would not do in the words of the API. */
export async function payAsAsked(
  stellar: Pick<SandboxStellar, 'money'>,
  payment: SandboxPayment,
): Promise<SandboxReceipt> {
  const money = await stellar.money();
  try {
    return await money.pay(payment);
  } catch (error) {
    // Loaded with the network, and not before it.
    const { SandboxMoneyError } = await import('./sandbox-money.ts');
    if (!(error instanceof SandboxMoneyError)) throw error;
    const param = error.problem === 'no_trust' || error.problem === 'refused' ? 'asset' : 'address';
    throw new PayError('parameter_invalid', error.message, { param, cause: error });
  }
}
