import {
  checkboxField,
  type Choice,
  choicesField,
  type FieldErrors,
  inputField,
  selectField,
  type SummaryField,
  textareaField,
} from '../../../html/fields.ts'
import type { FormValues } from '../../../html/form.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import type { Language, Texts } from '../../../locales/texts.ts'
import type { TSchema } from 'typebox'
import type { Database, Transaction } from '../../../database/database.ts'
import type { Links } from '../../../html/links.ts'
import type { Capability } from '../../../http/identity/roles.ts'
import type { Viewer } from '../../../http/identity/viewer-queries.ts'
import type { ContentChange } from '../../../organizations/content.ts'

type KindName = 'line' | 'secret' | 'email' | 'number' | 'text' | 'lines' | 'commas' | 'check' | 'select' | 'id' | 'checks' | 'ids'

/** A control of a form for the body of an API operation. */
export interface FormField {
  /** The path of the value in the body, such as `texts.en`, and the name of the control. An empty value below a property is left out. */
  readonly path: string
  readonly kind: KindName
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
  readonly choices?: readonly Choice[]
  /** Values that the browser suggests. */
  readonly suggestions?: readonly string[]
  /** An empty control is null, as the API has it, and no empty text. */
  readonly isNullable?: boolean
  readonly maxlength?: number
}

interface Control extends FormField {
  readonly name: string
  readonly values: readonly string[]
  readonly error: FieldErrors[string] | undefined
  readonly language: Language
}

interface Kind {
  readonly write: (value: unknown) => readonly string[]
  readonly read: (values: readonly string[]) => unknown
  readonly render: (control: Control) => SafeHtml
}

const one = (value: unknown) =>
  typeof value === 'string' ? [value] : typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
const toNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : text)
const asLine = (control: Control) => inputField({ ...control, value: control.values[0] })
const asText = (control: Control) => textareaField({ ...control, value: control.values[0] })
const asSelect = ({ choices = [], ...control }: Control) =>
  selectField({ ...control, choices, value: control.values[0] ?? '', ...(choices[0]?.key === '' ? { hasDefault: true } : {}) })
const asChecks = (control: Control) =>
  choicesField({ ...control, name: `${control.name}[]`, type: 'checkbox', choices: control.choices ?? [] })
const splitAt = (separator: RegExp, text = '') => text.split(separator).flatMap((part) => part.trim() || [])
const readText = ([text = '']: readonly string[]) => text.trim()
const readNumber = ([text = '']: readonly string[]) => toNumber(text.trim())

const kinds: Readonly<Record<KindName, Kind>> = {
  line: { write: one, read: readText, render: asLine },
  /** The form never contains the value, also not the one that was sent. */
  secret: {
    write: () => [],
    read: readText,
    render: (control) => inputField({ ...control, type: 'password', autocomplete: 'off' }),
  },
  email: { write: one, read: readText, render: (control) => inputField({ ...control, type: 'email', value: control.values[0] }) },
  number: {
    write: one,
    read: readNumber,
    render: (control) => inputField({ ...control, inputmode: 'decimal', value: control.values[0] }),
  },
  text: { write: one, read: ([text = '']) => text.replaceAll('\r\n', '\n').trim(), render: asText },
  /** A list with an item in each line. */
  lines: { write: (value) => [list(value).join('\n')], read: ([text]) => splitAt(/\r?\n/, text), render: asText },
  /** A list in one line, separated by commas. */
  commas: { write: (value) => [list(value).join(', ')], read: ([text]) => splitAt(/,/, text), render: asLine },
  check: {
    write: one,
    read: ([value]) => value === 'true',
    render: (control) => checkboxField({ ...control, checked: control.values[0] === 'true' }),
  },
  select: { write: one, read: readText, render: asSelect },
  id: { write: one, read: readNumber, render: asSelect },
  checks: { write: list, read: (values) => values, render: asChecks },
  ids: { write: list, read: (values) => values.map(toNumber), render: asChecks },
}

const kindOf = ({ kind }: FormField): Kind => kinds[kind]

/** Returns the values of the controls for a row of the API. */
export const fillForm = (fields: readonly FormField[], row: object): FormValues =>
  Object.fromEntries(fields.map((field) => [field.path, kindOf(field).write(valueAt(row, field.path))]))

const valueAt = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], row)

/** Returns the body of the API operation for the values of the controls. */
export function readForm(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const read = kindOf(field).read(textsAt(values, field.path))
    const isEmpty = read === '' || (Array.isArray(read) && read.length === 0)
    const [top = '', ...inner] = field.path.split('.')
    if (inner.length === 0) body[top] = isEmpty && field.isNullable ? null : read
    else setInside(body, [top, ...inner], isEmpty ? undefined : read)
  }
  return body
}

/** Creates the outermost object also for an empty value, so that the operation replaces what is stored. */
function setInside(body: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown, depth = 0): void {
  if (rest.length === 0) {
    if (value !== undefined) body[key] = value
    return
  }
  if (value === undefined && depth > 0 && body[key] === undefined) return
  setInside((body[key] ??= {}) as Record<string, unknown>, rest, value, depth + 1)
}

function textsAt(values: FormValues, path: string): readonly string[] {
  const value = Object.hasOwn(values, path) ? values[path] : undefined
  return [value ?? []].flat().filter((text) => typeof text === 'string')
}

/** @param errors by the properties of the body; that of a property with several controls is at the first one */
export function renderForm(
  fields: readonly FormField[],
  { values, errors, texts }: { readonly values: FormValues; readonly errors: FieldErrors; readonly texts: Texts },
): SafeHtml {
  return html`${fields.map((field) =>
    kindOf(field).render({
      ...field,
      ...{ name: field.path, values: textsAt(values, field.path), language: texts.language },
      error: errors[field.path] ?? (isFirst(fields, field) ? errors[topOf(field)] : undefined),
    }),
  )}`
}

export const summaryFields = (fields: readonly FormField[]): SummaryField[] =>
  fields.flatMap((field): SummaryField[] => [
    ...(isFirst(fields, field) && topOf(field) !== field.path ? [[topOf(field), field.label, field.path] as const] : []),
    [field.path, field.label, field.path],
  ])

const topOf = ({ path }: FormField) => path.split('.')[0] ?? ''
const isFirst = (fields: readonly FormField[], field: FormField) => fields.find((other) => topOf(other) === topOf(field)) === field

export type PartName =
  | 'settings'
  | 'forwarding'
  | 'request-types'
  | 'questions'
  | 'templates'
  | 'targets'
  | 'calendars'
  | 'members'
  | 'invitations'

export interface PartContext {
  /** A transaction during a change. */
  readonly db: Database | Transaction
  readonly organization: { readonly id: number; readonly name: string; readonly language: Language }
  /** The id of the request type whose questions the part has. */
  readonly parent: number
  readonly viewer: Viewer
  readonly now: Date
  readonly texts: Texts
  readonly links: Links
}

export interface Row {
  readonly id: number
  /** The version of the form contains it, besides the values of the controls. */
  readonly revision?: string | undefined
}

/** The state of a form. The row is undefined for a new one. */
interface Edited<Item> {
  readonly item: Item | undefined
  /** The body that the values of the form make. */
  readonly body: Readonly<Record<string, unknown>>
  readonly isValid: boolean
}

/** Rows of an organisation with a list and a form. They are saved by the functions of the API, with its errors. */
export interface Part<Item extends Row> {
  readonly name: PartName
  /** The path below the page of contents. */
  readonly path: string
  readonly capability: Capability
  readonly schema: TSchema
  /** True for a part with one row, whose form is its page. */
  readonly isSingle?: true
  /** The rows of each row, listed below its form. */
  readonly child?: Part<Row>
  list(context: PartContext): Promise<readonly Item[]>
  describe(
    item: Item,
    context: PartContext,
  ): { readonly title: string | SafeHtml; readonly details?: string; readonly isRetired?: boolean }
  fields(context: PartContext, item: Item | undefined): Promise<readonly FormField[]>
  /** Returns whether the caller may save or remove the row, or save a new one. Without it they may. */
  allows?(step: 'save' | 'remove', item: Item | undefined, context: PartContext): boolean
  /** The list says it after a row was saved. */
  readonly saved?: 'invited'
  /** The button that removes the row. */
  removeText?(item: Item, context: PartContext): string
  /** Adds a row without an id. @throws Problem 404, 422 */
  save(tx: Transaction, context: PartContext, id: number | undefined, body: object): Promise<unknown>
  /** @throws Problem 404, 422 */
  remove?(tx: Transaction, context: PartContext, id: number): Promise<void>
  /** @param ids all rows in their new order. @throws Problem 404, 422 */
  reorder?(tx: Transaction, context: PartContext, ids: readonly number[]): Promise<void>
  /** Returns what is shown next to the form, which the form can show again for its present values. */
  preview?(context: PartContext, edited: Edited<Item>): Promise<SafeHtml>
}

/** The functions of the API for one kind of content. */
interface Content<Item> {
  list(db: Database | Transaction, organization_id: number): Promise<readonly Item[]>
  add(tx: Transaction, change: ContentChange, input: object): Promise<number>
  change(tx: Transaction, change: ContentChange, id: number, input: object): Promise<void>
  remove(tx: Transaction, change: ContentChange, id: number): Promise<void>
}

const changeIn = ({ organization, viewer, now }: PartContext) => ({ organization_id: organization.id, viewer, now })

/** The functions of a part whose rows managers change by API. */
export const ofContent = <Item extends Row>({ list, add, change, remove }: Content<Item>) =>
  ({
    capability: 'manage_content',
    list: ({ db, organization }) => list(db, organization.id),
    save: (tx, context, id, body) =>
      id === undefined ? add(tx, changeIn(context), body) : change(tx, changeIn(context), id, body),
    remove: (tx, context, id) => remove(tx, changeIn(context), id),
  }) satisfies Partial<Part<Item>>

/** The active request types of the organisation, and those that a row has, as choices. */
export async function typeChoices({ db, organization }: PartContext, ids: readonly number[] = []) {
  const types = await db.prisma.requestType.findMany({
    where: { organization_id: organization.id, OR: [{ active: true }, { id: { in: [...ids] } }] },
    select: { id: true, title: true, language: true },
    orderBy: [{ position: 'asc' }, { title: 'asc' }, { id: 'asc' }],
  })
  return types.map(({ id, title, language }) => ({ key: String(id), name: title, language }))
}
