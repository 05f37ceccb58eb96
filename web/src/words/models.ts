// The words of the page "Models".
export const words = {
  title: 'Models',
} as const;
