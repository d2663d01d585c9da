import type { City } from './cities/city.ts'

/** An account of the demo that anybody may log in to: the passwords are public (docs/demo.md). */
export interface Login {
  readonly email: string
  readonly password: string
  readonly does: string
}

export const residentLogin: Login = {
  email: 'resident@example.org',
  password: 'demo-resident',
  does: 'reports and votes in Denver',
}

export const adminLogin: Login = { email: 'admin@example.org', password: 'demo-admin', does: 'may do everything, everywhere' }

export const moderatorLogin: Login = {
  email: 'moderator@denver.example.org',
  password: 'demo-moderator',
  does: 'moderates for Denver Public Works',
}

/** One for each city: official@denver.example.org and so on. */
export const officialLogin = (city: City): Login => ({
  email: `official@${city.urlName}.example.org`,
  password: 'demo-official',
  does: `acknowledges and closes for ${city.agencies[0]?.name}`,
})
