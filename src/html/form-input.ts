import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'

import { type ValidationErrors, writeValidationErrors, Problem } from '../errors/problems.ts'
import { negotiateLanguage } from '../http/errors/text-language.ts'
import { toValidationProblem } from '../http/validation/validation.ts'
import type { FieldErrors } from './fields.ts'

/** What a form may be sent with; the schema of a page's form says it for validation, and what was typed is kept by these. */
export type FormValues = Readonly<Record<string, unknown>>

export const toFormValues = (body: unknown): FormValues => (typeof body === 'object' && body !== null ? (body as FormValues) : {})

/** One value as text; a form has no other. */
export function readText(values: FormValues, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

/** For `preparing`: an empty field is one that nobody filled in, not a value. */
export const omitBlankFields = (body: unknown): FormValues =>
  Object.fromEntries(Object.entries(toFormValues(body)).filter(([, value]) => value !== ''))

/** For `preparing`: browsers send the end of a line as two characters, where they count one (HTML, form submission). */
export function normalizeLineEndings(body: unknown): FormValues {
  const fields = Object.entries(toFormValues(body))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value]),
  )
}

/** For routes with `attachValidation`: what the schema refuses, as errors beside the fields. */
export function formErrors(request: FastifyRequest): ValidationErrors {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  return validation ? toBodyErrors(request, validation) : {}
}

/** The same of a body that the handler makes of what was sent. */
export function bodyErrors(request: FastifyRequest, body: unknown): ValidationErrors {
  const { error } = request.validateInput(body, 'body') as unknown as { readonly error?: FastifySchemaValidationError[] }
  return error ? toBodyErrors(request, error) : {}
}

const toBodyErrors = (request: FastifyRequest, validation: FastifySchemaValidationError[]) =>
  validationErrorsFrom(toValidationProblem({ validation, validationContext: 'body' }, request))

/** The errors of what a feature refused. @throws whatever else it is, which is no matter of the fields */
export function validationErrorsFrom(error: unknown): ValidationErrors {
  if (error instanceof Problem && error.body.kind !== 'message') return error.body.fields
  throw error
}

/** ValidationErrors as the page shows them to whoever reads it: in the language that they ask for, like those of every other answer. */
export function translateErrors(request: FastifyRequest, errors: ValidationErrors): FieldErrors {
  const language = negotiateLanguage(request)
  const told = Object.entries(writeValidationErrors(errors, language)).map(([name, error]) => [
    name,
    { language, texts: [error].flat() },
  ])
  return Object.fromEntries(told) as FieldErrors
}
