import type { Random } from './random.ts'
import type { City } from './cities/city.ts'
import { DAY_MS } from './drafts.ts'
import { wholeSecond } from './lifecycle.ts'
import type { Person } from './person.ts'
import { communityQuestions } from './phrases/phrases.ts'

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
  readonly isHeld: boolean
  readonly answers: readonly DraftAnswer[]
}

const QUESTIONS = 6

export function makeQuestions(random: Random, city: City, resident: () => Person, now: number): DraftQuestion[] {
  const fill = (text: string) =>
    text
      .replaceAll('{city}', city.name)
      .replaceAll('{street}', random.pick(city.streets)[0])
      .replaceAll('{park}', random.pick(city.hubs).park)
  const order = communityQuestions.map((entry) => ({ entry, key: random.next() })).sort((one, other) => one.key - other.key)
  return order.slice(0, QUESTIONS).map(({ entry }) => {
    const at = wholeSecond(now - random.between(20, 300) * DAY_MS)
    const answers = entry.answers.map((answer, index): DraftAnswer => {
      const answeredAt = wholeSecond(at + (index + random.between(0.1, 3)) * DAY_MS)
      const votes = new Map<Person, number>()
      for (let voters = random.integer(0, 9 - 3 * index); voters > 0; voters--) {
        votes.set(resident(), wholeSecond(answeredAt + random.between(0.1, 8) * DAY_MS))
      }
      const accepted = index === 0 && random.chance(0.6)
      return { by: resident(), at: answeredAt, text: fill(answer), acceptedAt: accepted ? answeredAt + DAY_MS : null, votes }
    })
    return { city, by: resident(), at, text: fill(entry.question), isHeld: false, answers }
  })
}
