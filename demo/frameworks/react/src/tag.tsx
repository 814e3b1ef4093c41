import 'pay-checkout/define';
import { createRoot } from 'react-dom/client';
import { Page } from './checkout-tag.tsx';

createRoot(document.querySelector('#root') as HTMLElement).render(<Page />);
