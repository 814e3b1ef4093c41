import type { PasskeyOptions } from '../../api/people/factor.ts';
import type { Calls } from '../app/service-client.ts';
import { ShownError } from '../controls/states.ts';

/** Asks the person for a passkey in the browser's own dialog. Throws ShownError if none is used. */
export async function askPasskey(calls: Calls): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options } = await calls.post<PasskeyOptions>('/v1/session/passkey-options');
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
  return await startAuthentication({ optionsJSON }).catch(() => {
    throw new ShownError('No passkey was used. Try again.');
  });
}
