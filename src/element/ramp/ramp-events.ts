import type { CustomerRamp } from '../../api/ramps/ramp.ts';
import type { PayErrorDetail } from '../events.ts';

/** The events of `<pay-ramp>` with their details. All bubble and are composed. */
export interface RampEventDetails {
  /** The ramp has begun, or changed. */
  'pay-ramp-change': CustomerRamp;
  /** The wallet has the coins. Sent once for each ramp, even if the page is reloaded. */
  'pay-ramp-success': CustomerRamp;
  'pay-ramp-error': PayErrorDetail;
}

/** The event with this name. Its `detail` is typed. */
export type RampEvent<Name extends keyof RampEventDetails> = CustomEvent<RampEventDetails[Name]>;

declare global {
  interface HTMLElementEventMap {
    'pay-ramp-change': RampEvent<'pay-ramp-change'>;
    'pay-ramp-success': RampEvent<'pay-ramp-success'>;
    'pay-ramp-error': RampEvent<'pay-ramp-error'>;
  }
}

/** The events as callback properties, for pages that prefer functions. */
export interface RampCallbacks {
  onSuccess: ((ramp: CustomerRamp) => void) | undefined;
  onChange: ((ramp: CustomerRamp) => void) | undefined;
  onError: ((error: PayErrorDetail) => void) | undefined;
}
