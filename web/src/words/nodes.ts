// The words of the page "Nodes".
export const words = {
  title: 'Nodes',
} as const;
