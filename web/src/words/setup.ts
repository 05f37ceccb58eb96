// The words of the page "Setup".
export const words = {
  title: 'Setup',
} as const;
