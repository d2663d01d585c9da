import type { City } from './cities/city.ts'
import type { Login } from './logins.ts'

export interface Person {
  readonly id: number
  readonly name: string
  readonly role: 'Registered User' | 'Verified Official' | 'Admin' | 'Guest'
  readonly city: City | undefined
  readonly sharesLocation: boolean
  readonly login: Login | undefined
  /** Relative frequency of this person's actions in the city. */
  readonly activity: number
  /** Everything below follows from what the person does. Milliseconds since 1970. */
  civicPoints: number
  firstSeen: number | undefined
  lastSeen: number | undefined
}
