import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import type { TSchema } from 'typebox'

import { type ValidationErrors, writeValidationErrors, Problem } from '../errors/problems.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { invalidCharacterError, toValidationProblem } from '../http/validation/validation.ts'
import type { FieldErrors } from './fields.ts'

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

/** Returns the schema errors of a route with `attachValidation`, by field. */
export function formErrors(request: FastifyRequest): ValidationErrors {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  return validation ? toBodyErrors(request, validation) : {}
}

/** Validates a body that the handler built, with the schema of the route or another one. */
export function bodyErrors(request: FastifyRequest, body: unknown, schema?: TSchema): ValidationErrors {
  const found = (schema ? request.validateInput(body, schema, 'body') : request.validateInput(body, 'body')) as unknown
  const { error } = found as { readonly error?: FastifySchemaValidationError[] }
  if (error) return toBodyErrors(request, error, schema)
  const entries = Object.entries(toFormValues(body)).map(([name, value]) => [name, invalidCharacterError(value)] as const)
  return Object.fromEntries(entries.flatMap(([name, reason]) => (reason ? [[name, reason]] : [])))
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
  const translated = Object.entries(writeValidationErrors(errors, language)).map(([name, error]) => [
    name,
    { language, texts: [error].flat() },
  ])
  return Object.fromEntries(translated) as FieldErrors
}
