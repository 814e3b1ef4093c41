import 'pay-checkout/define';
import { bootstrapApplication } from '@angular/platform-browser';
import { ShopPage } from './shop-page';

bootstrapApplication(ShopPage);
