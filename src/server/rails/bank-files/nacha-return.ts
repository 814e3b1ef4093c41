import type { PaymentReport } from './bank-file.ts';

/**
 * Reads the returned payments in a NACHA file of our bank, the ODFI (Nacha Operating Rules, appendix four). Such an
 * entry has an addenda record of type 99, which states the reason. The entry's individual identification is our
 * reference. Omits corrections (type 98) and other entries. Throws Error for a text that is not a complete NACHA file.
 */
export function readNachaReturns(text: string): readonly PaymentReport[] {
  const lines = text.split(/\r?\n/).filter(line => line !== '');
  if (lines.some(line => line.length !== 94) || !/^1\d\d/.test(lines[0] ?? '')) {
    throw new Error('a NACHA file has records of 94 characters and begins with a file header');
  }
  // The control record begins with 9. Lines that contain only nines are padding.
  const control = lines.find(line => line.startsWith('9') && /[^9]/.test(line));
  const count = lines.filter(line => /^[67]/.test(line)).length;
  if (Number(control?.slice(13, 21)) !== count) {
    throw new Error('a NACHA file ends with a file control that states the number of its entries and addenda records');
  }
  return lines.flatMap((line, index) => {
    const entry = lines[index - 1] ?? '';
    return line.startsWith('799') && entry.startsWith('6') ? [reportOf(entry, line)] : [];
  });
}

function reportOf(entry: string, addenda: string): PaymentReport {
  const amount = entry.slice(29, 39);
  if (!/^\d{10}$/.test(amount)) throw new Error('the amount of a return is not a number');
  return {
    file: null,
    reference: entry.slice(39, 54).trim(),
    state: 'returned',
    amount: BigInt(amount),
    code: addenda.slice(3, 6),
    text: addenda.slice(35, 79).trim() || null,
  };
}
