import { PayError } from '../../core/error.ts';
import type { MoneyProblem, SandboxPayment, SandboxReceipt } from './sandbox-money.ts';
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
    throw new PayError('parameter_invalid', error.message, { param: paramOf(error.problem), cause: error });
  }
}

function paramOf(problem: MoneyProblem): string {
  if (problem === 'too_much') return 'amount';
  return problem === 'no_trust' || problem === 'refused' ? 'asset' : 'address';
}
