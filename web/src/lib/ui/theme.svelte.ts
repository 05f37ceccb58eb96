// Light, dark or whatever the system says; the choice is kept in this browser.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'homard.theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system';
  }
}

class ThemeChoice {
  current = $state<Theme>(stored());

  /** Marks the document; the style sheet does the rest. */
  apply(): void {
    if (this.current === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.current;
  }

  choose(theme: Theme): void {
    this.current = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Storage refused: the choice lasts as long as the page.
    }
    this.apply();
  }
}

export const theme = new ThemeChoice();
