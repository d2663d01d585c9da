import { weightedPicker, type Random } from './random.ts'
import { cities } from './cities/index.ts'
import type { City } from './cities/city.ts'
import { adminLogin, moderatorLogin, officialLogin, residentLogin, type Login } from './logins.ts'
import { firstNames, lastNames } from './phrases/phrases.ts'
import { makeOrganizations, type Organization } from './organizations.ts'
import type { Person } from './person.ts'

export interface People {
  readonly all: readonly Person[]
  readonly organizations: readonly Organization[]
  readonly residentPickers: ReadonlyMap<City, (random: Random) => Person>
}

const RESIDENTS = 66
const NEWCOMERS = 10
const LOCATION_SHARERS_MIN = 5
const EMPLOYEES = 2

export function makePeople(random: Random): People {
  const all: Person[] = []
  const nameOf = createNamePicker(random)
  const add = (person: Partial<Person> & Pick<Person, 'role' | 'city'>): Person => {
    const id = all.length + 1
    const made = { ...noActivity, id, name: nameOf(), ...person }
    all.push(made)
    return made
  }
  const residents = new Map(cities.map((city) => [city, makeResidents(random, city, add)]))
  const organizations = makeOrganizations(cities, (city, agency) => {
    const official = (login?: Login) => add({ role: 'Verified Official', city, login })
    const employees = Array.from({ length: EMPLOYEES }, (_, index) =>
      official(agency + index === 0 ? officialLogin(city) : undefined),
    )
    return { employees, moderator: official(city.urlName === 'denver' && agency === 0 ? moderatorLogin : undefined) }
  })
  add({ role: 'Admin', city: undefined, login: adminLogin })
  for (const city of cities.slice(0, 3)) add({ role: 'Guest', city })
  const residentPickers = new Map(
    [...residents].map(([city, people]) => [city, weightedPicker(people, ({ activity }) => activity)]),
  )
  return { all, organizations, residentPickers }
}

const noActivity = {
  sharesLocation: false,
  login: undefined,
  activity: 0,
  civicPoints: 0,
  firstSeen: undefined,
  lastSeen: undefined,
}

/** A few residents write most reports, as in real cities. The most active ones share their location. */
function makeResidents(
  random: Random,
  city: City,
  add: (person: Partial<Person> & Pick<Person, 'role' | 'city'>) => Person,
): Person[] {
  return Array.from({ length: RESIDENTS }, (_, rank) =>
    add({
      role: 'Registered User',
      city,
      login: city.urlName === 'denver' && rank === 3 ? residentLogin : undefined,
      sharesLocation: rank < LOCATION_SHARERS_MIN || random.chance(0.28),
      activity: rank < RESIDENTS - NEWCOMERS ? 1 / (rank + 3) : 0.001,
    }),
  )
}

/** Returns a function that returns each name once. */
function createNamePicker(random: Random): () => string {
  const used = new Set<string>()
  return () => {
    for (;;) {
      const name = `${random.pick(firstNames)} ${random.pick(lastNames)}`
      if (used.has(name)) continue
      used.add(name)
      return name
    }
  }
}

/** An action that is not public does not change the last action, because `updated_at` would reveal who did it. */
export function recordAction(person: Person, at: number, civicPoints: number, isPublic = true): void {
  person.civicPoints += civicPoints
  person.firstSeen = Math.min(person.firstSeen ?? at, at)
  if (isPublic) person.lastSeen = Math.max(person.lastSeen ?? at, at)
}
