/** GeoReport v2 limits the description in characters. */
export const DESCRIPTION_MAX = 4_000

/** Returns a text that is no longer than a description may be. A longer one is cut, with an ellipsis at the end. */
export function cutDescription(text: string): string {
  if (text.length <= DESCRIPTION_MAX) return text
  const characters = [...text]
  return characters.length <= DESCRIPTION_MAX ? text : `${characters.slice(0, DESCRIPTION_MAX - 1).join('')}…`
}
