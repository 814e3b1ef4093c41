import 'pay-checkout/define';
import { createApp } from 'vue';
import PropertyPage from './PropertyPage.vue';

createApp(PropertyPage).mount('#root');
