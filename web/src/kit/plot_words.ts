// The words around a plot.
export const words = {
  empty: 'Nothing happened in this time.',
  asTable: (title: string) => `Show ${title} as a table`,
  asPlot: (title: string) => `Show ${title} as a plot`,
  when: 'When',
  more: (left: number) => `and ${left} earlier rows`,
  about: (title: string, headline: string, peak: string | undefined) => `Plot of ${title}: ${headline}.${peak ? ` Highest: ${peak}.` : ''}`,
  peak: (name: string, value: string, when: string) => `${name} ${value} on ${when}`,
} as const;
