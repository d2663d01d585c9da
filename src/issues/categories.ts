/** The categories of issues and request types. Each has an icon in src/html/files/icons. */
export const categories = [
  'pothole',
  'graffiti',
  'street-light',
  'dumping',
  'trash',
  'sidewalk',
  'tree',
  'traffic-signal',
  'sign',
  'water',
  'noise',
  'vehicle',
  'parking',
  'park',
  'snow',
  'other',
] as const

export type Category = (typeof categories)[number]

/** Returns the category if it is a known one, else `other`: imported rows may hold any text. */
export function toCategory(category: string): Category {
  return categories.find((known) => known === category) ?? 'other'
}
