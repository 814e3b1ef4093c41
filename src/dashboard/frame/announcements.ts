import type { Event } from '../../api/event.ts';
import type { EventWords } from '../app/area-words.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { pathTo } from '../app/router.ts';

/** Whether the browser may show desktop notifications. */
export type DesktopNotices = 'granted' | 'denied' | 'default' | 'unsupported';

export const desktopNotices = (): DesktopNotices =>
  'Notification' in window ? Notification.permission : 'unsupported';

/** Asks the person for permission to show desktop notifications. */
export const allowDesktopNotices = async (): Promise<DesktopNotices> => await Notification.requestPermission();

/** Shows important events: as a toast, and as a desktop notification while the page is hidden. */
export function tellLoudEvents(app: DashboardContext): void {
  app.live.follow({}, event => {
    const words = app.eventWords(event);
    if (!words.isLoud) return;
    const { title, text, tone, path } = words;
    const toneOfToast = tone === 'busy' ? 'plain' : tone;
    app.toast({ text: title, detail: text, tone: toneOfToast, ...(path === null ? {} : { path }) });
    if (document.hidden && desktopNotices() === 'granted') notify(event, words);
  });
}

function notify(event: Event, { title, text, path }: EventWords): void {
  let notice: Notification;
  try {
    // The tag prevents a second tab from showing the same event again.
    notice = new Notification(title, { body: text, tag: event.id, icon: '/favicon.svg' });
  } catch {
    // Chrome on Android takes notifications from service workers only. The toast and the bell still show the event.
    return;
  }
  notice.onclick = () => {
    window.focus();
    if (path !== null) location.assign(pathTo(path));
  };
}
