// Tells a person who looks elsewhere: a notification of the browser when they allowed it, a soft tone
// when they want one, the number in the title and on the app's icon.
import { words } from '../../words/lists';
import { strings } from '../strings';

const ON_KEY = 'homard.notify';
const SOUND_KEY = 'homard.sound';
const BODY_MAX = 180;
const TONE_HZ = 660;
const TONE_S = 0.22;
const TONE_LOUDNESS = 0.06;

export type Ability = 'missing' | 'ask' | 'denied' | 'granted';

export interface Notice {
  title: string;
  body: string;
  /** Notices with the same tag replace each other. */
  tag: string;
  open: () => void;
  /** Where a click leads when the page is gone by then. */
  address: string;
}

function stored(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    return false;
  }
}

function store(key: string, on: boolean): void {
  try {
    localStorage.setItem(key, on ? 'on' : 'off');
  } catch {
    // Storage refused: the choice lasts as long as the page.
  }
}

function ability(): Ability {
  if (!('Notification' in globalThis)) return 'missing';
  return Notification.permission === 'default' ? 'ask' : Notification.permission;
}

export class Notifier {
  ability = $state<Ability>(ability());
  wanted = $state(stored(ON_KEY));
  sound = $state(stored(SOUND_KEY));
  #audio: AudioContext | undefined;

  get on(): boolean {
    return this.wanted && this.ability === 'granted';
  }

  /** Called from a click only: browsers ask the person then. */
  async turnOn(): Promise<boolean> {
    this.ability = ability();
    if (this.ability === 'ask') {
      await Notification.requestPermission();
      this.ability = ability();
    }
    this.wanted = this.ability === 'granted';
    store(ON_KEY, this.wanted);
    return this.wanted;
  }

  turnOff(): void {
    this.wanted = false;
    store(ON_KEY, false);
  }

  setSound(on: boolean): void {
    this.sound = on;
    store(SOUND_KEY, on);
    if (on) this.#tone();
  }

  tell(notice: Notice): void {
    if (this.sound) this.#tone();
    if (!this.on) return;
    const options = { body: short(notice.body), tag: notice.tag, icon: './icons/icon-192.png', data: { address: notice.address } };
    try {
      const shown = new Notification(notice.title, options);
      shown.onclick = () => {
        window.focus();
        shown.close();
        notice.open();
      };
    } catch {
      // Phones show notifications only through the service worker, which opens the address.
      void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(notice.title, options)).catch(() => undefined);
    }
  }

  #tone(): void {
    try {
      this.#audio ??= new AudioContext();
      const [now, voice, volume] = [this.#audio.currentTime, this.#audio.createOscillator(), this.#audio.createGain()];
      voice.frequency.value = TONE_HZ;
      volume.gain.setValueAtTime(TONE_LOUDNESS, now);
      volume.gain.exponentialRampToValueAtTime(0.0001, now + TONE_S);
      voice.connect(volume).connect(this.#audio.destination);
      voice.start(now);
      voice.stop(now + TONE_S);
    } catch {
      // A page nobody has clicked in yet makes no sound.
    }
  }
}

export function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > BODY_MAX ? `${line.slice(0, BODY_MAX - 1)}…` : line;
}

/** The number before the title of the page; nothing when nothing waits. */
export function titleBadge(count: number): string {
  return count > 0 ? `(${count > 99 ? '99+' : count}) ` : '';
}

/** The number on the icon of an installed app. */
export function setAppBadge(count: number): void {
  const target = navigator as Navigator & { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
  const done = count > 0 ? target.setAppBadge?.(count) : target.clearAppBadge?.();
  done?.catch(() => undefined);
}

/** What a run's end is told as; nothing for one that goes on or was stopped by a person. */
export function endOfRun(state: unknown, text: string): string | undefined {
  if (state === 'final') return text || words.notifyAnswered;
  if (state === 'error') return words.notifyFailed;
  return undefined;
}

export const appName = strings.appName;
