import 'pay-checkout/define';
import { mount } from 'svelte';
import LowerCase from './LowerCase.svelte';

mount(LowerCase, { target: document.querySelector('#root') as HTMLElement });
