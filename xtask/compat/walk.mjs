// Walks through the published page as somebody would who presses everything once, and writes down what the page asks
// the gateway for: each method, whether it was refused, and where it was asked first. Pages are those of the page's own
// menus and whatever their links lead to.

/** What can be pressed. */
const CONTROLS = 'button, [role="tab"], [role="menuitem"], [role="button"], [role="option"], wa-dropdown-item, summary';
/** What lies over the page and has to be dealt with first. */
const ABOVE = '[role="dialog"], dialog[open], [role="alertdialog"], [role="menu"], [role="listbox"]';
/** What would end the walk instead of showing something. */
const LEAVES = /sign ?out|forget|connect|log ?out|restart|shut ?down|update (now|gateway|openclaw)|reset (app|browser)|clear (cache|data)|reload/i;
/** What would lose the way in. */
const KEYS = /token|password|gateway url|websocket/i;
/** A page has asked for everything once its socket has been silent this long. */
const SILENCE = 300;
/** The longest wait for silence: some pages ask again and again. */
const PATIENCE = 6_000;
/** Most presses on one page; lists repeat themselves. */
const MOST = 60;

export class Walk {
  /** Every method that was asked for: how often, and how it was refused first. */
  asked = new Map();
  /** What the browser complained about while walking. */
  broken = [];
  #page;
  #base;
  #at = 'load';
  #lastFrame = 0;
  #tried = new Set();

  constructor(page, base) {
    this.#page = page;
    this.#base = base;
    page.on('websocket', (socket) => this.#listen(socket));
    page.on('pageerror', (error) => this.broken.push(`${this.#at}: ${error.message}`));
    page.on('dialog', (dialog) => dialog.accept().catch(() => {}));
    page.context().on('page', (other) => other !== page && other.close().catch(() => {}));
  }

  #listen(socket) {
    const names = new Map();
    const read = (payload, take) => {
      try { take(JSON.parse(payload)); } catch { /* Pings and what is cut off at the end. */ }
    };
    socket.on('framesent', ({ payload }) => read(payload, (frame) => {
      if (frame.type !== 'req') return;
      names.set(frame.id, frame.method);
      const known = this.asked.get(frame.method);
      if (known) known.times += 1;
      else this.asked.set(frame.method, { times: 1, where: this.#at, refused: null });
    }));
    socket.on('framereceived', ({ payload }) => read(payload, (frame) => {
      this.#lastFrame = Date.now();
      const method = this.asked.get(names.get(frame.id));
      if (frame.type !== 'res' || frame.ok !== false || !method || method.refused) return;
      method.refused = frame.error?.message ?? 'refused';
      method.where = this.#at;
    }));
  }

  async #settle() {
    const begun = Date.now();
    this.#lastFrame = begun;
    while (Date.now() - begun < PATIENCE && Date.now() - this.#lastFrame < SILENCE) await this.#page.waitForTimeout(50);
  }

  async #open(path) {
    // Parts of a page may load for as long as they like.
    await this.#page.goto(`${this.#base}${path}`, { waitUntil: 'domcontentloaded', timeout: 90_000 }).catch((error) => {
      throw new Error(`${path} (after ${this.#at}): ${error.message.split('\n')[0]}`);
    });
    await this.#settle();
    const begun = Date.now();
    const shown = () => this.#page.evaluate(() => document.body.innerText.trim().length);
    while ((await shown()) === 0 && Date.now() - begun < 15_000) await this.#page.waitForTimeout(100);
    if ((await shown()) === 0) this.broken.push(`${path} stayed empty`);
  }

  /** What can be pressed now, what lies above the rest first. */
  async #controls() {
    return this.#page.locator(CONTROLS).evaluateAll((all, above) => {
      const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.getAttribute('aria-disabled') !== 'true';
      const covers = all.map((one) => one.closest(above)).filter((cover) => cover && cover.checkVisibility());
      return all.flatMap((one, index) => {
        const name = (one.getAttribute('aria-label') || one.innerText || one.title || '').trim().replace(/\s+/g, ' ').slice(0, 60);
        const cover = one.closest(above);
        if (!name || !seen(one) || (covers.length > 0 && !cover)) return [];
        return [{ index, name, menu: !cover && one.closest('aside, nav') !== null }];
      });
    }, ABOVE);
  }

  /** Presses everything on a page once and types into its fields. */
  async page(path) {
    this.#at = path;
    await this.#open(path);
    const home = new URL(this.#page.url()).pathname;
    for (let pressed = 0; pressed < MOST; pressed += 1) {
      await this.#fill(path);
      const controls = await this.#controls();
      const key = ({ menu, name }) => `${menu ? '' : home} ${name}`;
      const next = controls.find((one) => !this.#tried.has(key(one)) && !LEAVES.test(one.name));
      if (!next) {
        if (!(await this.#uncover())) return;
        continue;
      }
      this.#tried.add(key(next));
      this.#at = `${path}, ${next.name}`;
      await this.#page.locator(CONTROLS).nth(next.index).click({ timeout: 1_000 }).catch(() => {});
      await this.#settle();
      if (new URL(this.#page.url()).pathname !== home) await this.#open(path);
    }
  }

  async #fill(path) {
    const fields = await this.#page.locator('input[type="search"]:visible, input[type="text"]:visible, input:not([type]):visible').all();
    for (const field of fields) {
      const name = await field.evaluate((one) => one.getAttribute('aria-label') || one.placeholder || one.name).catch(() => '');
      if (!name || KEYS.test(name) || this.#tried.has(`${path} field ${name}`)) continue;
      this.#tried.add(`${path} field ${name}`);
      this.#at = `${path}, ${name}`;
      await field.fill('boat', { timeout: 1_000 }).then(() => field.press('Enter', { timeout: 1_000 })).catch(() => {});
      await this.#settle();
    }
  }

  /** Closes what lies above the page; false when nothing did. */
  async #uncover() {
    const covered = () => this.#page.locator(ABOVE).evaluateAll((all) => all.some((one) => one.checkVisibility() && one.querySelector('button, [role="menuitem"], [role="option"]')));
    if (!(await covered())) return false;
    await this.#page.keyboard.press('Escape');
    await this.#settle();
    if (await covered()) await this.#open(new URL(this.#page.url()).pathname);
    return !(await covered());
  }

  /** Pages the menus and links lead to; one conversation stands for all. */
  async links() {
    const all = await this.#page.locator('a[href^="/"]').evaluateAll((all) => all.map((one) => new URL(one.href).pathname));
    return all.filter((path) => !path.startsWith('/chat/'));
  }
}
