import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'

import { type ValidationErrors, writeValidationErrors, Problem, problems } from '../errors/problems.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { UPLOAD_BYTES_MAX } from '../http/request/upload.ts'
import { contentFingerprint } from '../http/request/version-header.ts'
import { convertFormTexts } from '../http/validation/text-values.ts'
import { invalidCharacterError, toValidationProblem } from '../http/validation/validation.ts'
import { inPlainWords, type Language, type Text, text } from '../locales/texts.ts'
import {
  type FieldErrors,
  type CheckboxField,
  checkboxField,
  choicesField,
  errorSummary,
  type InputField,
  inputField,
  type SelectField,
  selectField,
  type SummaryField,
  type TextareaField,
  textareaField,
  hiddenFields,
} from './fields.ts'
import { type SafeHtml, html } from './template.ts'

export type FormValues = Readonly<Record<string, unknown>>

export const toFormValues = (body: unknown): FormValues => (typeof body === 'object' && body !== null ? (body as FormValues) : {})

export function readText(values: FormValues, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** Removes empty fields, which count as missing; for `withInputTransform`. */
export const omitBlankFields = (body: unknown): FormValues =>
  Object.fromEntries(Object.entries(toFormValues(body)).filter(([, value]) => value !== ''))

/** Replaces CRLF, which browsers send but count as one character (HTML, form submission); for `withInputTransform`. */
export function normalizeLineEndings(body: unknown): FormValues {
  const fields = Object.entries(toFormValues(body))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value]),
  )
}

/** Returns the schema errors of a route with `attachValidation`, and those of files that are too large, by field. */
export function formErrors(request: FastifyRequest): ValidationErrors {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  return { ...(validation && toBodyErrors(request, validation)), ...fileErrors(request) }
}

/** Returns the errors of files that are too large by field, in a list such as `answers[…]` by its key; for routes with `reportsLargeFiles`. */
export const fileErrors = ({ largeFiles }: FastifyRequest): Readonly<Record<string, readonly Text[]>> =>
  Object.fromEntries(
    [...Map.groupBy(largeFiles, ({ field }) => /\[([^\]]+)\]/.exec(field)?.[1] ?? field)].map(([name, files]) => [
      name,
      files.map(({ filename }) => text('named_file_too_large', { name: filename, size: UPLOAD_BYTES_MAX / 1024 / 1024 })),
    ]),
  )

/** Validates a body that the handler built, with the schema of the route or another one. */
export function bodyErrors(request: FastifyRequest, body: unknown, schema?: TSchema): ValidationErrors {
  const found = (schema ? request.validateInput(body, schema, 'body') : request.validateInput(body, 'body')) as unknown
  const { error } = found as { readonly error?: FastifySchemaValidationError[] }
  if (error) return toBodyErrors(request, error, schema)
  const entries = Object.entries(toFormValues(body)).map(([name, value]) => [name, invalidCharacterError(value)] as const)
  return Object.fromEntries(entries.flatMap(([name, reason]) => (reason ? [[name, reason]] : [])))
}

/**
 * Returns the values of a form as the body of an operation of the API.
 * @param names the fields that have other names in the form
 * @throws Problem 422 that names the field of the form
 */
export function readBody<Schema extends TObject>(
  request: FastifyRequest,
  schema: Schema,
  names: Readonly<Record<string, string>> = {},
): Static<Schema> {
  const values = toFormValues(request.body)
  const nameOf = (field: string) => names[field] ?? field
  const fields = Object.keys(schema.properties).map((field) => [field, values[nameOf(field)]])
  const body = convertFormTexts(Object.fromEntries(fields), schema)
  const errors = Object.entries(bodyErrors(request, body, schema)).map(([field, error]) => [nameOf(field), error] as const)
  if (errors.length > 0) throw problems.invalid(Object.fromEntries(errors))
  return body as Static<Schema>
}

const toBodyErrors = (request: FastifyRequest, validation: FastifySchemaValidationError[], schema?: TSchema) =>
  validationErrorsFrom(toValidationProblem({ validation, validationContext: 'body' }, request, schema))

/** Returns the validation errors of a problem. @throws every other error */
export function validationErrorsFrom(error: unknown): ValidationErrors {
  if (error instanceof Problem && error.body.kind !== 'message') return error.body.fields
  throw error
}

export function translateErrors(request: FastifyRequest, errors: ValidationErrors): FieldErrors {
  const language = pageLanguage(request)
  const translated = Object.entries(writeValidationErrors(errors, language, inPlainWords)).map(([name, error]) => [
    name,
    { language, texts: [error].flat() },
  ])
  return Object.fromEntries(translated) as FieldErrors
}

type Label = string | SafeHtml
/** The options of a field that the form sets. */
type Known = 'name' | 'label' | 'language'

export interface FormState {
  readonly values?: FormValues
  readonly errors?: FieldErrors
}

type CheckboxOptions = Partial<Omit<CheckboxField, Known>> & { readonly summaryLabel?: string }

export type Form = ReturnType<typeof createForm>

/** Returns the fields of a form, each with its value and its error. A value in the options precedes that of the form. */
export function createForm(language: Language, { values = {}, errors = {} }: FormState = {}) {
  const fields: SummaryField[] = []
  const known = (name: string, label: Label, id = name) => {
    fields.push([name, label, id])
    return { name, label, error: errors[name], language }
  }
  const filled = (name: string, label: Label, id?: string) => ({ ...known(name, label, id), value: readText(values, name) })
  return {
    errors,
    input: (name: string, label: Label, options: Omit<InputField, Known> = {}) =>
      inputField({ ...filled(name, label, options.id), ...options }),
    textarea: (name: string, label: Label, options: Omit<TextareaField, Known> = {}) =>
      textareaField({ ...filled(name, label, options.id), ...options }),
    select: (name: string, label: Label, options: Omit<SelectField, Known>) =>
      selectField({ ...filled(name, label, options.id), ...options }),
    checkboxes: (name: string, label: Label, options: Omit<Parameters<typeof choicesField>[0], Known | 'type'>) =>
      choicesField({ ...known(name, label, `${name}[]`), ...options, name: `${name}[]`, type: 'checkbox' }),
    /** @param options `summaryLabel` is a shorter label for the summary */
    checkbox: (name: string, label: Label, { summaryLabel, ...options }: CheckboxOptions = {}) =>
      checkboxField({ ...known(name, summaryLabel ?? label), label, checked: readText(values, name) === 'true', ...options }),
    /** Lists the errors, with links to the fields. Call it after all fields. */
    errorSummary: () => errorSummary(errors, fields, language),
  }
}

interface ActionForm {
  readonly action: string
  readonly hidden?: Readonly<Record<string, string | undefined>>
  readonly fields?: SafeHtml | SafeHtml[] | string
  readonly button: string
  /** The class of the button: the main action of a page has none. */
  readonly kind?: 'second' | 'quiet' | ''
}

/** Returns a form of one step: a button that posts hidden values and a few fields. */
export const actionForm = ({ action, hidden = {}, fields = '', button, kind = 'second' }: ActionForm): SafeHtml =>
  html`<form method="post" action="${action}">${hiddenFields(hidden)}${fields}
    <p><button${kind === '' ? '' : html` class="${kind}"`}>${button}</button></p></form>`

/** Returns the idempotency key. A form that is sent again unchanged, by a double click or a reload, has the same key. */
export function formIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = readFormKey(request)
  return key === undefined ? undefined : contentFingerprint(request.body, key)
}

/** Returns the secret that the page has given to this form. */
export function readFormKey({ body }: Pick<FastifyRequest, 'body'>): string | undefined {
  const key = readText(toFormValues(body), 'form_key')
  return /^[\w-]{43}$/.test(key) ? key : undefined
}
