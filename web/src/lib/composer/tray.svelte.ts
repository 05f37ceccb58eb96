// The files waiting beside the composer of one chat. They live as long as the page: too large for
// the browser's storage, so the page asks before it is left while there are some.
import { type Attached, base64Of, bytesOf, kindOf, type Limits, mimeOf, refusal, scaled, shortName } from './attachments';
import { bytes } from '../text/amounts';
import { words } from '../../words/composer';

const JPEG_QUALITY = 0.86;
/** How often a picture that is still too large is made smaller by a quarter. */
const SHRINK_TRIES = 5;
const SHRINK_BY = 0.75;

let next = 1;

export class Tray {
  files = $state.raw<readonly Attached[]>([]);
  /** What could not be taken, in words. */
  problems = $state.raw<readonly string[]>([]);
  reading = $state(0);
  #adding: Promise<void> = Promise.resolve();

  get isEmpty(): boolean {
    return this.files.length === 0;
  }

  remove(id: string): void {
    this.files = this.files.filter((file) => file.id !== id);
  }

  forgetProblems(): void {
    this.problems = [];
  }

  /** Hands the files over and is empty. */
  take(): readonly Attached[] {
    const taken = this.files;
    this.files = [];
    this.problems = [];
    return taken;
  }

  /** Puts files in that are read already: of a message that is edited, of one that could not be sent. */
  put(files: readonly { mime: string; data: string; name?: string | undefined; note?: string }[]): void {
    const added = files.map((file): Attached => {
      const name = file.name ?? words.unnamed(kindOf(file.mime));
      return { id: `f${next++}`, name, mime: file.mime, kind: kindOf(file.mime), bytes: bytesOf(file.data), data: file.data, ...(file.note ? { note: file.note } : {}) };
    });
    this.files = [...this.files, ...added];
  }

  /** Takes files in the order they come, also when a large one takes its time. */
  add(files: readonly File[], limits: Limits, note?: string): Promise<void> {
    if (this.reading === 0) this.problems = [];
    this.#adding = this.#adding.then(() => this.#addAll(files, limits, note));
    return this.#adding;
  }

  async #addAll(files: readonly File[], limits: Limits, note: string | undefined): Promise<void> {
    for (const file of files) {
      this.reading += 1;
      try {
        await this.#addOne(file, limits, note);
      } catch (error) {
        this.#complain(words.unreadable(shortName(file.name), error instanceof Error ? error.message : String(error)));
      } finally {
        this.reading -= 1;
      }
    }
  }

  async #addOne(file: File, limits: Limits, note: string | undefined): Promise<void> {
    const name = shortName(file.name || words.unnamed(kindOf(file.type)));
    const mime = mimeOf(file.name, file.type);
    let body: { blob: Blob; mime: string; note?: string | undefined } = { blob: file, mime, note };
    if (kindOf(mime) === 'image' && mime !== 'image/gif' && mime !== 'image/svg+xml') body = (await shrink(file, mime, limits)) ?? body;
    const about = { name, bytes: body.blob.size, mime: body.mime };
    const why = refusal(about, this.files, limits);
    if (why) {
      this.#complain(why);
      return;
    }
    const data = await base64Of(body.blob);
    const added: Attached = { id: `f${next++}`, name, mime: body.mime, kind: kindOf(body.mime), bytes: about.bytes, data };
    this.files = [...this.files, body.note ? { ...added, note: body.note } : added];
  }

  #complain(words: string): void {
    this.problems = [...this.problems, words];
  }
}

/** A smaller copy of a picture that is too large to send or to be of use; undefined when it is fine, or no picture. */
async function shrink(file: Blob, mime: string, limits: Limits): Promise<{ blob: Blob; mime: string; note: string } | undefined> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    return undefined;
  }
  try {
    let size = scaled(bitmap.width, bitmap.height) ?? { width: bitmap.width, height: bitmap.height };
    const shrinks = size.width !== bitmap.width || file.size > limits.maxShownBytes;
    if (!shrinks) return undefined;
    const wanted = mime === 'image/png' && file.size <= limits.maxShownBytes ? 'image/png' : 'image/jpeg';
    for (let tries = 0; tries < SHRINK_TRIES; tries += 1) {
      const blob = await draw(bitmap, size, wanted);
      if (blob && blob.size <= limits.maxShownBytes) return { blob, mime: blob.type, note: words.scaledDown(size.width, size.height, bytes(file.size)) };
      size = { width: Math.max(1, Math.round(size.width * SHRINK_BY)), height: Math.max(1, Math.round(size.height * SHRINK_BY)) };
    }
    return undefined;
  } finally {
    bitmap.close();
  }
}

function draw(bitmap: ImageBitmap, size: { width: number; height: number }, mime: string): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const pen = canvas.getContext('2d');
  if (!pen) return Promise.resolve(null);
  if (mime === 'image/jpeg') {
    // What was transparent would turn black.
    pen.fillStyle = 'white';
    pen.fillRect(0, 0, size.width, size.height);
  }
  pen.drawImage(bitmap, 0, 0, size.width, size.height);
  return new Promise((resolve) => canvas.toBlob(resolve, mime, JPEG_QUALITY));
}
