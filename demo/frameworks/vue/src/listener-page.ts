import 'pay-checkout/define';
import { createApp } from 'vue';
import ListenerPage from './ListenerPage.vue';

createApp(ListenerPage).mount('#root');
