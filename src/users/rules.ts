/** Civic points from which a title is borne, highest first (decisions.md, Credentials). */
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

export const roles = ['Registered User', 'Verified Official', 'Admin', 'Guest'] as const
