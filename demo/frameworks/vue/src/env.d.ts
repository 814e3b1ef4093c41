import type {} from 'pay-checkout/types/vue';
