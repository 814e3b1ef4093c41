'use client';

import {
  type CSSProperties,
  createElement,
  type ReactElement,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { CheckoutCallbacks, CheckoutOptions, PayCheckout as PayCheckoutElement } from '../element/index.ts';

/** Props of `<PayCheckout>`: the element's properties and callbacks, and the usual props of a React element. */
export interface PayCheckoutProps extends CheckoutOptions {
  readonly id?: string | undefined;
  readonly className?: string | undefined;
  readonly style?: CSSProperties | undefined;
  /** The page's own button with `slot="trigger"`, for the modes `popup` and `redirect`. */
  readonly children?: ReactNode;
  /** The element, for `open()`, `close()`, `refresh()`, `restart()` and `confirm()`. React 18 does not pass `ref` to components. */
  readonly ref?: Ref<PayCheckoutElement> | undefined;
}

type Settings = Omit<CheckoutOptions, keyof CheckoutCallbacks>;

/** Every setting, with its value if the prop is absent. */
const absent: { readonly [Name in keyof Required<Settings>]: Settings[Name] } = {
  apiKey: undefined,
  paymentId: undefined,
  clientSecret: undefined,
  proxyUrl: undefined,
  baseUrl: undefined,
  link: undefined,
  opened: undefined,
  amount: undefined,
  currency: undefined,
  settlementAsset: undefined,
  paymentMethods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
  customerEmail: undefined,
  customerName: undefined,
  customer: undefined,
  metadata: undefined,
  redirectUrl: undefined,
  theme: undefined,
  locale: undefined,
  mode: 'embedded',
  appearance: undefined,
};

const never = () => () => {};

/** False on the server and while React hydrates its page. True afterwards. */
const useIsInBrowser = () =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );

// React 18 warns about layout effects on a server.
const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

/**
 * The checkout as a React component, for React 18 and 19. It defines `<pay-checkout>` itself. Callbacks get the
 * payment, and `onError` gets the error. A prerendered page contains a `div` instead, so that the checkout never starts
 * before its callbacks are set.
 */
export function PayCheckout({ ref, id, className, style, children, ...options }: PayCheckoutProps): ReactElement {
  const element = useRef<PayCheckoutElement | null>(null);
  const isInBrowser = useIsInBrowser();
  const attach = useCallback(
    (node: PayCheckoutElement | null) => {
      element.current = node;
      if (typeof ref === 'function') return ref(node);
      if (ref) ref.current = node;
      return undefined;
    },
    [ref],
  );
  useBrowserEffect(() => {
    if (element.current) assign(element.current, options);
  });
  useEffect(() => {
    import('../element/define.ts').catch(() =>
      element.current?.onError?.({ code: 'offline', message: 'The code of the checkout could not be loaded.' }),
    );
  }, []);
  if (!isInBrowser) return createElement('div', { id, className, style }, children);
  return createElement('pay-checkout', { ref: attach, id, class: className, style }, children);
}

/** Sets the callbacks and the changed settings. An element that is not defined yet uses them once it is defined. */
function assign(element: PayCheckoutElement, options: CheckoutOptions): void {
  const before = element as CheckoutOptions;
  for (const [name, value] of Object.entries(absent)) {
    const wanted = options[name as keyof Settings] ?? value;
    if (before[name as keyof Settings] !== wanted) Object.assign(element, { [name]: wanted });
  }
  const { onSuccess, onFailure, onExpire, onChange, onReady, onError } = options;
  Object.assign(element, { onSuccess, onFailure, onExpire, onChange, onReady, onError });
}
