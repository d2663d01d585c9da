import type { Random } from './random.ts'
import type { City } from './cities/city.ts'
import type { Person } from './person.ts'
import { communitySpecs, requestTypeSpecs, type QuestionSpec, type RequestTypeSpec } from './request-types.ts'

export interface Organization {
  readonly id: number
  readonly name: string
  readonly city: City
  readonly employees: readonly Person[]
  readonly moderator: Person
}

export interface Question {
  readonly id: number
  readonly spec: QuestionSpec
}

/** A row of request_type_questions that every form has. */
export interface BuiltIn {
  readonly id: number
  readonly builtIn: 'summary' | 'description' | 'issue_image'
  readonly question: string
  readonly type: 'text' | 'textarea' | 'file'
}

export interface RequestType {
  readonly id: number
  /** It is undefined if it belongs to the community. */
  readonly organization: Organization | undefined
  readonly spec: RequestTypeSpec
  readonly position: number
  readonly builtIns: readonly BuiltIn[]
  readonly questions: readonly Question[]
}

export interface Staff {
  readonly employees: readonly Person[]
  readonly moderator: Person
}

export function makeOrganizations(cities: readonly City[], staffOf: (city: City, agency: number) => Staff): Organization[] {
  const agencies = cities.flatMap((city) =>
    city.agencies.map((agency, index) => ({ city, name: agency.name, ...staffOf(city, index) })),
  )
  return agencies.map((agency, index) => ({ id: index + 1, ...agency }))
}

export const builtInQuestions = [
  { builtIn: 'summary', question: 'What is the problem, in a few words?', type: 'text' },
  { builtIn: 'description', question: 'What should we know about it?', type: 'textarea' },
  { builtIn: 'issue_image', question: 'Add a picture', type: 'file' },
] as const

export function makeRequestTypes(organizations: readonly Organization[]): RequestType[] {
  let questionId = 0
  const numbered = (
    spec: RequestTypeSpec,
    organization: Organization | undefined,
    position: number,
    index: number,
  ): RequestType => ({
    id: index + 1,
    ...{ organization, spec, position },
    builtIns: builtInQuestions.map((builtIn) => ({ id: ++questionId, ...builtIn })),
    questions: spec.questions.map((question) => ({ id: ++questionId, spec: question })),
  })
  const offered = organizations.flatMap((organization) =>
    handledBy(organization).map((key, position) => ({ spec: requestTypeSpecs[key], organization, position })),
  )
  const communityTypes = communitySpecs.map((spec, position) => ({ spec, organization: undefined, position }))
  return [...offered, ...communityTypes].map(({ spec, organization, position }, index) =>
    numbered(spec, organization, position, index),
  )
}

const handledBy = ({ city, name }: Organization) => city.agencies.find((agency) => agency.name === name)?.handles ?? []

export interface FormAnswer {
  readonly question: Question
  readonly answer: string
  readonly value: unknown
}

export const keyOf = (choice: string): string => choice.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const ANSWER_PROBABILITY = 0.75

export function answerQuestions(random: Random, type: RequestType, createdAt: number): FormAnswer[] {
  return type.questions
    .filter(({ spec }) => spec.type !== 'note' && (spec.required === true || random.chance(ANSWER_PROBABILITY)))
    .map((question) => ({ question, ...answer(random, question.spec, createdAt) }))
}

function answer(random: Random, spec: QuestionSpec, createdAt: number): { answer: string; value: unknown } {
  switch (spec.type) {
    case 'text':
    case 'textarea': {
      const text = random.pick(spec.answers)
      return { answer: text, value: text }
    }
    case 'select': {
      const choice = random.pick(spec.choices)
      return { answer: choice, value: keyOf(choice) }
    }
    case 'multivaluelist': {
      const [first, second] = [random.pick(spec.choices), random.pick(spec.choices)]
      const chosen = spec.choices.filter((choice) => choice === first || choice === second)
      return { answer: chosen.join(', '), value: chosen.map(keyOf) }
    }
    case 'number': {
      const number = random.integer(...spec.range)
      return { answer: String(number), value: number }
    }
    case 'datetime': {
      const hours = random.integer(1, spec.daysBefore * 24)
      const time = new Date(Math.floor(createdAt / 3_600_000 - hours) * 3_600_000).toISOString().replace('.000Z', 'Z')
      return { answer: time, value: time }
    }
    case 'boolean': {
      const yes = random.chance(spec.yes)
      return { answer: yes ? 'Yes' : 'No', value: yes }
    }
    case 'note':
      throw new Error('A note has no answer')
  }
}
