/** The version in package.json, put in by Vite; the gateway shows it in its presence list. */
declare const __APP_VERSION__: string;
