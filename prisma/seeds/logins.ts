import type { City } from './cities/city.ts'

/** An account of the demo with a public password (docs/demo.md). */
export interface Login {
  readonly email: string
  readonly password: string
  readonly permissions: string
}

export const residentLogin: Login = {
  email: 'resident@example.org',
  password: 'demo-resident',
  permissions: 'reports and votes in Denver',
}

export const adminLogin: Login = {
  email: 'admin@example.org',
  password: 'demo-admin',
  permissions: 'has all permissions everywhere',
}

export const moderatorLogin: Login = {
  email: 'moderator@denver.example.org',
  password: 'demo-moderator',
  permissions: 'moderates for Denver Public Works',
}

export const officialLogin = (city: City): Login => ({
  email: `official@${city.urlName}.example.org`,
  password: 'demo-official',
  permissions: `acknowledges and closes for ${city.agencies[0]?.name}`,
})
