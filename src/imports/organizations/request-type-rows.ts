import { categories, type Category } from '../../issues/categories.ts'
import { otherRequestType } from '../../request-types/other.ts'
import type { Notes } from './notes.ts'
import { type QuestionInput, readQuestions } from './question-rows.ts'

export interface RequestTypeInput {
  readonly path: string
  readonly title: string
  readonly category: Category
  /** Among the types of its organisation, from 0. */
  readonly position: number
  readonly questions: readonly QuestionInput[]
}

const keys = ['title', 'category', 'position', 'questions']
const TYPES_MAX = 500
const TITLE_MAX = 200
const POSITION_MAX = 1_000_000

/** Null if the file says nothing about them. */
export function readRequestTypes(value: unknown, path: string, notes: Notes): RequestTypeInput[] | null {
  const list = notes.list(value, path, TYPES_MAX)
  if (list === null) return null
  const read = list.flatMap((one, n) => readRequestType(one, `${path}[${n}]`, n, notes) ?? [])
  notes.repeated(
    read.map((type) => ({ path: `${type.path}.title`, name: type.title })),
    'title',
  )
  return read
}

/** Reads the request types of the community, which belong to no organisation. */
export function readCommunityTypes(value: unknown, notes: Notes): RequestTypeInput[] | null {
  const types = readRequestTypes(value, 'community_request_types', notes)
  for (const { path, title } of types ?? []) {
    if (title.toLowerCase() === otherRequestType.title.toLowerCase()) notes.fault(`${path}.title`, 'is always there by itself')
  }
  return types
}

function readRequestType(value: unknown, path: string, index: number, notes: Notes): RequestTypeInput | undefined {
  const given = notes.object(value, path, keys)
  if (!given) return undefined
  const { title, category, position } = notes.fields(given, path, (fields) => {
    fields.require('title')
    return {
      title: fields.text('title', TITLE_MAX)?.trim() ?? null,
      category: fields.oneOf('category', categories),
      position: fields.integer('position', 0, POSITION_MAX),
    }
  })
  const questions = readQuestions(given['questions'], `${path}.questions`, notes)
  if (title === null) return undefined
  return { path, title, category: category ?? 'other', position: position ?? index, questions }
}
