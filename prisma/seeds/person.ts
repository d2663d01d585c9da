import type { City } from './cities/city.ts'
import type { Login } from './logins.ts'

export interface Person {
  readonly id: number
  readonly name: string
  readonly role: 'Registered User' | 'Verified Official' | 'Admin' | 'Guest'
  readonly city: City | undefined
  readonly sharesLocation: boolean
  readonly login: Login | undefined
  readonly activity: number
  /** The following properties are computed from the person's actions. Times are Unix times in milliseconds. */
  civicPoints: number
  firstSeen: number | undefined
  lastSeen: number | undefined
}
