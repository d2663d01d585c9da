/** Removes the locations of a filter, which differ between encodings. */
export const withoutLocations = (condition: unknown): unknown =>
  JSON.parse(JSON.stringify(condition, (key, value: unknown) => (key === 'at' ? undefined : value)))
