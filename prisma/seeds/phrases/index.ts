import type { Category } from '../../../src/issues/categories.ts'
import { park, snow, tree, water } from './nature.ts'
import { noise, other, parking } from './people.ts'
import type { Phrases } from './phrases.ts'
import { pothole, sidewalk, sign, streetLight, trafficSignal } from './roads.ts'
import { dumping, graffiti, trash, vehicle } from './waste.ts'

export const phrases: Readonly<Record<Category, Phrases>> = {
  pothole,
  graffiti,
  'street-light': streetLight,
  dumping,
  trash,
  sidewalk,
  tree,
  'traffic-signal': trafficSignal,
  sign,
  water,
  noise,
  vehicle,
  parking,
  park,
  snow,
  other,
}
