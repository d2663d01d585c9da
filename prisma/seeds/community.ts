import type { Chance } from './chance.ts'
import type { City } from './cities/city.ts'
import { DAY_MS } from './drafts.ts'
import { wholeSecond } from './lives.ts'
import type { Person } from './person.ts'
import { communityQuestions } from './phrases/questions.ts'

export interface DraftAnswer {
  readonly by: Person
  readonly at: number
  readonly text: string
  readonly acceptedAt: number | null
  readonly votes: ReadonlyMap<Person, number>
}

export interface DraftQuestion {
  readonly city: City
  readonly by: Person
  readonly at: number
  readonly text: string
  readonly held: boolean
  readonly answers: readonly DraftAnswer[]
}

const QUESTIONS = 6

/** Returns the questions of a city with their answers and votes. */
export function makeQuestions(chance: Chance, city: City, resident: () => Person, now: number): DraftQuestion[] {
  const fill = (text: string) =>
    text
      .replaceAll('{city}', city.name)
      .replaceAll('{street}', chance.among(city.streets)[0])
      .replaceAll('{park}', chance.among(city.hubs).park)
  const order = communityQuestions.map((entry) => ({ entry, key: chance.next() })).sort((one, other) => one.key - other.key)
  return order.slice(0, QUESTIONS).map(({ entry }) => {
    const at = wholeSecond(now - chance.between(20, 300) * DAY_MS)
    const answers = entry.answers.map((answer, index): DraftAnswer => {
      const answeredAt = wholeSecond(at + (index + chance.between(0.1, 3)) * DAY_MS)
      const votes = new Map<Person, number>()
      for (let voters = chance.whole(0, 9 - 3 * index); voters > 0; voters--) {
        votes.set(resident(), wholeSecond(answeredAt + chance.between(0.1, 8) * DAY_MS))
      }
      const accepted = index === 0 && chance.yes(0.6)
      return { by: resident(), at: answeredAt, text: fill(answer), acceptedAt: accepted ? answeredAt + DAY_MS : null, votes }
    })
    return { city, by: resident(), at, text: fill(entry.question), held: false, answers }
  })
}
