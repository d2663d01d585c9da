import { categories } from '../../issues/categories.ts'
import { otherRequestType } from '../../request-types/other.ts'
import type { Language } from '../../locales/texts.ts'
import { type DocumentReader, readTranslatedText } from './document-reader.ts'
import { readQuestions } from './question-rows.ts'

export type RequestTypeInput = NonNullable<ReturnType<typeof readRequestType>>

const keys = ['title', 'translations', 'category', 'position', 'questions']
export const TYPES_MAX = 500
const TITLE_MAX = 200
const POSITION_MAX = 1_000_000

/** @param hasOther true if the import adds the type `Other` itself */
export function readRequestTypes(
  value: unknown,
  path: string,
  { language, hasOther }: { readonly language: Language; readonly hasOther: boolean },
  reader: DocumentReader,
): RequestTypeInput[] | null {
  const list = reader.list(value, path, TYPES_MAX)
  if (list === null) return null
  const read = list.flatMap((entry, n) => readRequestType(entry, `${path}[${n}]`, { index: n, language }, reader) ?? [])
  reader.rejectDuplicates(
    read.map((type) => ({ path: `${type.path}.title`, name: type.title })),
    'title',
  )
  if (hasOther) rejectOther(read, reader)
  return read
}

export function readCommunityTypes(value: unknown, language: Language, reader: DocumentReader): RequestTypeInput[] | null {
  return readRequestTypes(value, 'community_request_types', { language, hasOther: true }, reader)
}

function rejectOther(types: readonly RequestTypeInput[], reader: DocumentReader): void {
  for (const { path, title } of types) {
    if (title.toLowerCase() === otherRequestType.title.toLowerCase())
      reader.addError(`${path}.title`, 'is reserved: this request type always exists')
  }
}

function readRequestType(
  value: unknown,
  path: string,
  { index, language }: { readonly index: number; readonly language: Language },
  reader: DocumentReader,
) {
  const input = reader.object(value, path, keys)
  if (!input) return undefined
  const { title, category, position } = reader.fields(input, path, (fields) => {
    fields.require('title')
    return {
      title: fields.text('title', TITLE_MAX)?.trim() ?? null,
      category: fields.oneOf('category', categories),
      position: fields.integer('position', 0, POSITION_MAX),
    }
  })
  const translations = readTranslatedText(input['translations'], `${path}.translations`, {
    ...{ own: language, key: 'title', max: TITLE_MAX },
    reader,
  })
  const questions = readQuestions(input['questions'], `${path}.questions`, language, reader)
  if (title === null) return undefined
  return { path, title, language, translations, category: category ?? ('other' as const), position: position ?? index, questions }
}
