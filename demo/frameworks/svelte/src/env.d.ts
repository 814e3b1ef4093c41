import type {} from 'pay-checkout/types/svelte';
import type {} from 'svelte';
