// Where the person is: `?page=` names a page, nothing means the chat. Other parameters belong to
// the page that is open; they go when another is opened.
import { CHAT, findPage } from './pages';

const PAGE_PARAMETER = 'page';
/** The message a chat is opened at. */
export const MESSAGE_PARAMETER = 'message';

export class Router {
  page = $state(CHAT);
  /** What the address says beside the page; a new object whenever the address changes. */
  params = $state.raw<URLSearchParams>(new URLSearchParams());

  constructor() {
    this.read();
  }

  /** Takes the address over: at the start and when the person goes back. */
  read(): void {
    this.params = new URL(location.href).searchParams;
    const wanted = this.params.get(PAGE_PARAMETER) ?? undefined;
    this.page = findPage(wanted)?.id ?? CHAT;
  }

  /** Opens a page; `params` are its own, for example the thing to show first. */
  open(page: string, params: Record<string, string> = {}): void {
    const address = new URL(location.href);
    address.search = '';
    if (page !== CHAT) address.searchParams.set(PAGE_PARAMETER, page);
    for (const [name, value] of Object.entries(params)) address.searchParams.set(name, value);
    if (address.href !== location.href) history.pushState(null, '', address);
    this.read();
  }
}
