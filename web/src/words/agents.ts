// The words of the page "Agents".
export const words = {
  title: 'Agents',
} as const;
