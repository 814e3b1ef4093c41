import type { Mail } from '../../api/dashboard/mail.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';

/** Words and tones of the states of a mail. */
export const mailStates: StateTable = {
  queued: ['Waiting', 'busy'],
  sent: ['Sent', 'good'],
  kept: ['Kept here', 'plain'],
  canceled: ['Not mailed', 'plain'],
  failed: ['Failed', 'bad'],
};

export const mailChip = ({ status }: Pick<Mail, 'status'>) => statusChip(status, mailStates);
