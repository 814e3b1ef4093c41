import type { PasskeyOptions } from '../../api/people/factor.ts';
import { ShownError } from '../controls/states.ts';
import type { Calls } from './service-client.ts';

/** Asks for a passkey of this server, by the browser's window. Throws ShownError if the person closes the window. */
export async function askPasskey(calls: Calls): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { options } = await calls.post<PasskeyOptions>('/v1/session/passkey-options');
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
  return await startAuthentication({ optionsJSON }).catch(() => {
    throw new ShownError('No passkey was used. Try again.');
  });
}
