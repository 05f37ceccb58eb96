// The words of the page "Skills".
export const words = {
  title: 'Skills',
} as const;
