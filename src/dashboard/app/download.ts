import { errorOfAnswer } from '../../api/client/api-error.ts';
import { systemClock } from '../../core/clock.ts';
import type { Service } from './service-client.ts';

/** Saves a file of the service, for example `/v1/payments/pay_…/receipt`. Throws PayApiError. */
export async function download(service: Pick<Service, 'fetch'>, path: string, name: string): Promise<void> {
  const answer = await service.fetch(path, { method: 'GET' });
  if (!answer.ok) throw await errorOfAnswer(answer, systemClock.now().getTime());
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to save the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
