import { weighted, type Chance } from './chance.ts'
import { cities } from './cities/index.ts'
import type { City } from './cities/city.ts'
import { adminLogin, moderatorLogin, officialLogin, residentLogin, type Login } from './logins.ts'
import { firstNames, lastNames } from './names.ts'
import { makeOrganizations, type Organization } from './organizations.ts'
import type { Person } from './person.ts'

export interface People {
  readonly all: readonly Person[]
  readonly organizations: readonly Organization[]
  readonly residentOf: ReadonlyMap<City, (chance: Chance) => Person>
}

const RESIDENTS = 66
const NEWCOMERS = 10
const SHARERS_AT_LEAST = 5
const EMPLOYEES = 2

/** Residents and officials of every city, an admin and some guests. The same chance gives the same people. */
export function makePeople(chance: Chance): People {
  const all: Person[] = []
  const nameOf = namer(chance)
  const add = (person: Partial<Person> & Pick<Person, 'role' | 'city'>): Person => {
    const id = all.length + 1
    const made = { ...quiet, id, name: nameOf(), ...person }
    all.push(made)
    return made
  }
  const residents = new Map(cities.map((city) => [city, makeResidents(chance, city, add)]))
  const organizations = makeOrganizations(cities, (city, agency) => {
    const official = (login?: Login) => add({ role: 'Verified Official', city, login })
    const employees = Array.from({ length: EMPLOYEES }, (_, index) =>
      official(agency + index === 0 ? officialLogin(city) : undefined),
    )
    return { employees, moderator: official(city.urlName === 'denver' && agency === 0 ? moderatorLogin : undefined) }
  })
  add({ role: 'Admin', city: undefined, login: adminLogin })
  for (const city of cities.slice(0, 3)) add({ role: 'Guest', city })
  const residentOf = new Map([...residents].map(([city, people]) => [city, weighted(people, ({ activity }) => activity)]))
  return { all, organizations, residentOf }
}

const quiet = {
  sharesLocation: false,
  login: undefined,
  activity: 0,
  civicPoints: 0,
  firstSeen: undefined,
  lastSeen: undefined,
}

/** A few do most of the reporting, as everywhere; the most active ones share where they are. */
function makeResidents(
  chance: Chance,
  city: City,
  add: (person: Partial<Person> & Pick<Person, 'role' | 'city'>) => Person,
): Person[] {
  return Array.from({ length: RESIDENTS }, (_, rank) =>
    add({
      role: 'Registered User',
      city,
      login: city.urlName === 'denver' && rank === 3 ? residentLogin : undefined,
      sharesLocation: rank < SHARERS_AT_LEAST || chance.yes(0.28),
      activity: rank < RESIDENTS - NEWCOMERS ? 1 / (rank + 3) : 0.001,
    }),
  )
}

/** Gives every name once. */
function namer(chance: Chance): () => string {
  const given = new Set<string>()
  return () => {
    for (;;) {
      const name = `${chance.among(firstNames)} ${chance.among(lastNames)}`
      if (given.has(name)) continue
      given.add(name)
      return name
    }
  }
}

/**
 * Notes that a person did something at a time and for so many civic points. What not all may see (an anonymous report, what is held)
 * leaves no time behind: the person's `updated_at` would tell who it was.
 */
export function acted(person: Person, at: number, civicPoints: number, isShown = true): void {
  person.civicPoints += civicPoints
  person.firstSeen = Math.min(person.firstSeen ?? at, at)
  if (isShown) person.lastSeen = Math.max(person.lastSeen ?? at, at)
}
