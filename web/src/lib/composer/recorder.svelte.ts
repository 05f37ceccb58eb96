// Recording a voice note: the microphone, how loud it is, how long it has been. The browser allows
// this on secure pages only (https, or this very machine); elsewhere there is no button.
import { words } from '../../words/composer';

const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus', 'audio/webm'];
/** A note that was forgotten ends by itself. */
export const MAX_SECONDS = 10 * 60;
const LOOK_MS = 80;

export function canRecord(): boolean {
  return globalThis.isSecureContext === true && typeof MediaRecorder === 'function' && typeof navigator.mediaDevices?.getUserMedia === 'function';
}

/** 83 → 1:23. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** How loud a piece of sound is, from 0 to 1. */
export function loudness(samples: Uint8Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (const sample of samples) sum += ((sample - 128) / 128) ** 2;
  return Math.min(1, Math.sqrt(sum / samples.length) * 3);
}

export class Recorder {
  recording = $state(false);
  seconds = $state(0);
  level = $state(0);
  problem = $state<string | undefined>();
  #stream: MediaStream | undefined;
  #recorder: MediaRecorder | undefined;
  #sound: AudioContext | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #pieces: Blob[] = [];
  #asking = false;

  async start(): Promise<void> {
    if (this.recording || this.#asking) return;
    this.problem = undefined;
    this.#asking = true;
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      this.#begin(this.#stream);
    } catch (error) {
      this.#release();
      this.problem = reason(error);
    } finally {
      this.#asking = false;
    }
  }

  /** Ends the note and hands it over; undefined when there is nothing in it. */
  async finish(): Promise<File | undefined> {
    const recorder = this.#recorder;
    if (!recorder || recorder.state === 'inactive') return undefined;
    const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }));
    recorder.stop();
    await ended;
    const type = (recorder.mimeType || 'audio/webm').split(';')[0] ?? 'audio/webm';
    const pieces = this.#pieces;
    this.#release();
    if (pieces.length === 0) return undefined;
    const now = new Date();
    const stamp = `${String(now.getHours()).padStart(2, '0')}.${String(now.getMinutes()).padStart(2, '0')}`;
    return new File(pieces, `${words.voiceNote(stamp)}.${type.split('/')[1] ?? 'webm'}`, { type });
  }

  cancel(): void {
    if (this.#recorder && this.#recorder.state !== 'inactive') this.#recorder.stop();
    this.#release();
  }

  #begin(stream: MediaStream): void {
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {});
    this.#recorder = recorder;
    this.#pieces = [];
    recorder.ondataavailable = (event) => {
      if (event.data.size > 0) this.#pieces.push(event.data);
    };
    const sound = new AudioContext();
    this.#sound = sound;
    const ear = sound.createAnalyser();
    ear.fftSize = 512;
    sound.createMediaStreamSource(stream).connect(ear);
    const samples = new Uint8Array(ear.fftSize);
    const began = Date.now();
    this.seconds = 0;
    recorder.start(1000);
    this.recording = true;
    this.#timer = setInterval(() => {
      ear.getByteTimeDomainData(samples);
      this.level = loudness(samples);
      this.seconds = (Date.now() - began) / 1000;
      if (this.seconds >= MAX_SECONDS && recorder.state === 'recording') recorder.pause();
    }, LOOK_MS);
  }

  #release(): void {
    clearInterval(this.#timer);
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    void this.#sound?.close();
    this.#stream = undefined;
    this.#recorder = undefined;
    this.#sound = undefined;
    this.#pieces = [];
    this.recording = false;
    this.level = 0;
  }
}

function reason(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return words.microphoneRefused;
  if (name === 'NotFoundError') return words.microphoneMissing;
  return words.recordFailed(error instanceof Error ? error.message : String(error));
}
