import 'pay-checkout/define';
import { hydrateRoot } from 'react-dom/client';
import { Page } from './checkout-tag.tsx';

hydrateRoot(document.querySelector('#root') as HTMLElement, <Page />);
