// This browser's device identity: an Ed25519 key made once and kept. Where the browser
// can, the private key is a non-extractable WebCrypto key in IndexedDB; on plain-http
// pages, where WebCrypto does not exist, a seed in localStorage signs in JavaScript.

export interface DeviceIdentity {
  /** Lower-case hex SHA-256 of the raw public key. */
  id: string;
  /** The raw public key, base64url. */
  publicKey: string;
  /** Signs a UTF-8 text; base64url. */
  sign(text: string): Promise<string>;
}

/** What a connect signs: everything that decides what the socket may do. */
export interface SignedFacts {
  deviceId: string;
  clientId: string;
  clientMode: string;
  role: string;
  scopes: readonly string[];
  signedAtMs: number;
  token: string;
  nonce: string;
  platform: string;
  deviceFamily: string;
}

const DATABASE = 'homard';
const STORE = 'device';
const RECORD = 'identity';
const SEED_KEY = 'homard.device-seed';

export function signaturePayload(facts: SignedFacts): string {
  return [
    'v3',
    facts.deviceId,
    facts.clientId,
    facts.clientMode,
    facts.role,
    facts.scopes.join(','),
    String(facts.signedAtMs),
    facts.token,
    facts.nonce,
    normalised(facts.platform),
    normalised(facts.deviceFamily),
  ].join('|');
}

export function base64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Loads this browser's identity, making it on the first visit. */
export async function loadIdentity(): Promise<DeviceIdentity> {
  if (globalThis.crypto?.subtle && globalThis.indexedDB) {
    try {
      return await fromWebCrypto();
    } catch {
      // No Ed25519 in this browser, or IndexedDB refused: sign in JavaScript instead.
    }
  }
  return fromSeed();
}

function normalised(text: string): string {
  return text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function fromWebCrypto(): Promise<DeviceIdentity> {
  const database = await openDatabase();
  try {
    let pair = await storedPair(database);
    if (!pair) {
      const made = (await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify'])) as CryptoKeyPair;
      pair = await storePairIfAbsent(database, made);
    }
    const { privateKey } = pair;
    const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', raw));
    return {
      id: hex(digest),
      publicKey: base64url(raw),
      async sign(text) {
        const signature = await crypto.subtle.sign({ name: 'Ed25519' }, privateKey, new TextEncoder().encode(text));
        return base64url(new Uint8Array(signature));
      },
    };
  } finally {
    database.close();
  }
}

async function fromSeed(): Promise<DeviceIdentity> {
  const [ed, { sha256, sha512 }] = await Promise.all([import('@noble/ed25519'), import('@noble/hashes/sha2.js')]);
  ed.hashes.sha512 = (message) => sha512(message);
  const seed = loadSeed();
  const raw = ed.getPublicKey(seed);
  return { id: hex(sha256(raw)), publicKey: base64url(raw), sign: (text) => Promise.resolve(base64url(ed.sign(new TextEncoder().encode(text), seed))) };
}

function loadSeed(): Uint8Array {
  try {
    const stored = localStorage.getItem(SEED_KEY);
    if (stored && /^[0-9a-f]{64}$/.test(stored)) {
      return Uint8Array.from(stored.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    }
  } catch {
    // Storage refused: the identity lasts as long as the page.
  }
  const seed = crypto.getRandomValues(new Uint8Array(32));
  try {
    localStorage.setItem(SEED_KEY, hex(seed));
  } catch {
    // As above.
  }
  return seed;
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

async function storedPair(database: IDBDatabase): Promise<CryptoKeyPair | undefined> {
  return settled<CryptoKeyPair | undefined>(database.transaction(STORE).objectStore(STORE).get(RECORD));
}

/** Two tabs opened at once must end with one identity: the first to write wins. */
async function storePairIfAbsent(database: IDBDatabase, made: CryptoKeyPair): Promise<CryptoKeyPair> {
  const store = database.transaction(STORE, 'readwrite').objectStore(STORE);
  const existing = await settled<CryptoKeyPair | undefined>(store.get(RECORD));
  if (existing) return existing;
  await settled(store.put(made, RECORD));
  return made;
}
