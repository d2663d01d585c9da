import { HAS_VISIBLE } from '../http/schema/fields.ts'

/** Length of a name without blanks at its ends. */
export const NAME_LENGTH = { min: 3, max: 40 } as const
export const NAME_PATTERN = `${HAS_VISIBLE}\\s*\\S.{1,38}\\S\\s*$`

const titles = [
  [2500, 'City Fixer'],
  [1000, 'Digital Superhero'],
  [500, 'Municipal Avenger'],
  [250, 'Civic Crusader'],
  [100, 'Civic Pride'],
  [0, 'Street Smart'],
] as const

export function wittyTitle(civicPoints: number): string {
  return titles.find(([from]) => civicPoints >= from)?.[1] ?? 'Street Smart'
}

export const pointsFor = { report: 10, comment: 5, vote: 5 } as const

export const roles = ['Registered User', 'Verified Official', 'Admin', 'Guest'] as const
