// The words of the banner that leads to the set-up.
export const words = { text: 'The built-in demo answers until you connect a model.', go: 'Set up', later: 'Not now' } as const;
