// Starts the page.
import { mount } from 'svelte';
import AppView from './components/App.svelte';
import { App } from './lib/app.svelte';
import { keepAtHand } from './lib/connection/pwa.svelte';
import { theme } from './lib/ui/theme.svelte';
import './style.css';

theme.apply();
const app = new App();
const target = document.getElementById('app');
if (target) mount(AppView, { target, props: { app } });
app.start();
keepAtHand(app);
