/** What issues and request types are about. Each has an icon of its own in src/html/files/icons. */
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

/** The category itself where it is one of ours, else `other`: a row that was imported may hold any word. */
export function knownCategory(category: string): Category {
  return categories.find((known) => known === category) ?? 'other'
}
