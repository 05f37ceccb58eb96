// Files that go with a message: what they are, whether they fit, and how they become text for the
// wire. Pure but for reading the file; nothing here knows of Svelte.
import { words } from '../../words/composer';
import { bytes as sizeOf } from '../text/amounts';

export type FileKind = 'image' | 'audio' | 'file';

export interface Limits {
  /** Any file, in bytes. */
  maxBytes: number;
  /** A picture or a document the model is shown. */
  maxShownBytes: number;
  /** All files of one message, in bytes before they are encoded. */
  maxTotalBytes: number;
}

export interface Attached {
  id: string;
  name: string;
  mime: string;
  kind: FileKind;
  bytes: number;
  /** Base64. */
  data: string;
  /** A word about it: scaled down, how long it is. */
  note?: string;
}

export const MAX_FILES = 20;
/** Used until the gateway has said its own. */
const USUAL_MAX_BYTES = 19_464_192;
const USUAL_MAX_SHOWN_BYTES = 6_291_456;
const USUAL_MAX_PAYLOAD = 25 * 1024 * 1024;
/** Left for everything in a frame that is not a file. */
const FRAME_RESERVE_BYTES = 1024 * 1024;
/** Longer sides tell a model nothing more. */
export const MAX_SIDE_PX = 2400;
const NAME_MAX = 200;

const SHOWN_IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const SHOWN_DOCUMENTS = /^(text\/.*|application\/(pdf|json))$/;
/** Endings browsers have no type for, though they are plain text. */
const TEXT_ENDINGS = new Set(
  'txt md markdown log csv tsv toml yaml yml ini cfg conf env rs ts tsx js jsx mjs svelte vue py rb go java kt c h cpp hpp cs sh bash zsh fish sql lua pl php swift tex diff patch json5 jsonl gitignore dockerfile'.split(
    ' ',
  ),
);

/** What the gateway said about sizes, or the usual. */
export function limitsFrom(policy: { maxPayload?: unknown; attachments?: { maxBytes?: unknown; maxImageBytes?: unknown } } | undefined): Limits {
  const or = (value: unknown, usual: number): number => (typeof value === 'number' && value > 0 ? value : usual);
  const payload = or(policy?.maxPayload, USUAL_MAX_PAYLOAD);
  return {
    maxBytes: or(policy?.attachments?.maxBytes, USUAL_MAX_BYTES),
    maxShownBytes: or(policy?.attachments?.maxImageBytes, USUAL_MAX_SHOWN_BYTES),
    maxTotalBytes: Math.max(0, Math.floor(((payload - FRAME_RESERVE_BYTES) * 3) / 4)),
  };
}

/** What a file is: as the browser says, or by its ending where it says nothing useful. */
export function mimeOf(name: string, said: string): string {
  const mime = said.split(';')[0]?.trim().toLowerCase() ?? '';
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? name.toLowerCase();
  // Video by its ending, TypeScript by its nature.
  if (TEXT_ENDINGS.has(ending) && !mime.startsWith('text/')) return 'text/plain';
  return mime || 'application/octet-stream';
}

export function kindOf(mime: string): FileKind {
  if (mime.startsWith('image/')) return 'image';
  return mime.startsWith('audio/') ? 'audio' : 'file';
}

/** Whether the model sees it; anything else is kept on the gateway and named to the model. */
export function isShown(mime: string): boolean {
  return SHOWN_IMAGES.test(mime) || SHOWN_DOCUMENTS.test(mime);
}

export function canPreview(file: Pick<Attached, 'mime'>): boolean {
  return SHOWN_IMAGES.test(file.mime);
}

/** Why a file cannot go, in words; undefined when it can. Pictures may still be made smaller. */
export function refusal(file: { name: string; bytes: number; mime: string }, with_: readonly { bytes: number }[], limits: Limits): string | undefined {
  if (with_.length >= MAX_FILES) return words.tooMany(MAX_FILES);
  if (file.bytes === 0) return words.emptyFile(shortName(file.name));
  const most = isShown(file.mime) ? limits.maxShownBytes : limits.maxBytes;
  if (file.bytes > most) return words.tooLarge(shortName(file.name), sizeOf(most));
  const total = with_.reduce((sum, other) => sum + other.bytes, file.bytes);
  return total > limits.maxTotalBytes ? words.tooMuch(sizeOf(limits.maxTotalBytes)) : undefined;
}

/** The size a picture is drawn at so that its longer side fits; undefined when it fits as it is. */
export function scaled(width: number, height: number, side: number = MAX_SIDE_PX): { width: number; height: number } | undefined {
  const longer = Math.max(width, height);
  if (longer <= side || longer <= 0) return undefined;
  const factor = side / longer;
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

export function shortName(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name;
}

/** What is sent for it. */
export function wireFile(file: Attached): { type: string; mimeType: string; fileName: string; content: string } {
  return { type: file.kind, mimeType: file.mime, fileName: file.name, content: file.data };
}

export function dataUrl(file: Pick<Attached, 'mime' | 'data'>): string {
  return `data:${file.mime};base64,${file.data}`;
}

/** Bytes a base64 text stands for. */
export function bytesOf(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** Reads a file as base64, in pieces that do not overflow the stack. */
export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const PIECE = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

/** The files of a paste or a drop. Text is left to the text field. */
export function filesOf(transfer: DataTransfer | null): File[] {
  return transfer ? Array.from(transfer.files) : [];
}

export function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer !== null && Array.from(transfer.types).includes('Files');
}
