import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'

import { type ValidationErrors, writeValidationErrors, Problem } from '../errors/problems.ts'
import { textLanguageOf } from '../http/errors/text-language.ts'
import { toValidationProblem } from '../http/validation/validation.ts'
import type { FieldFaults } from './fields.ts'

/** What a form may be sent with; the schema of a page's form says it for validation, and what was typed is kept by these. */
export type Typed = Readonly<Record<string, unknown>>

export const typedIn = (body: unknown): Typed => (typeof body === 'object' && body !== null ? (body as Typed) : {})

/** One value as text; a form has no other. */
export function textIn(typed: Typed, name: string): string {
  const value = typed[name]
  return typeof value === 'string' ? value : ''
}

/** For `preparing`: an empty field is one that nobody filled in, not a value. */
export const withoutBlanks = (body: unknown): Typed =>
  Object.fromEntries(Object.entries(typedIn(body)).filter(([, value]) => value !== ''))

/** For `preparing`: browsers send the end of a line as two characters, where they count one (HTML, form submission). */
export function withLineEnds(body: unknown): Typed {
  const fields = Object.entries(typedIn(body))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value]),
  )
}

/** For routes with `attachValidation`: what the schema refuses, as faults beside the fields. */
export function faultsOfInput(request: FastifyRequest): ValidationErrors {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  return validation ? faultsInBody(request, validation) : {}
}

/** The same of a body that the handler makes of what was sent. */
export function faultsOfBody(request: FastifyRequest, body: unknown): ValidationErrors {
  const { error } = request.validateInput(body, 'body') as unknown as { readonly error?: FastifySchemaValidationError[] }
  return error ? faultsInBody(request, error) : {}
}

const faultsInBody = (request: FastifyRequest, validation: FastifySchemaValidationError[]) =>
  faultsOf(toValidationProblem({ validation, validationContext: 'body' }, request))

/** The faults of what a feature refused. @throws whatever else it is, which is no matter of the fields */
export function faultsOf(error: unknown): ValidationErrors {
  if (error instanceof Problem && error.body.kind !== 'message') return error.body.fields
  throw error
}

/** Faults as the page shows them to whoever reads it: in the language that they ask for, like those of every other answer. */
export function toldTo(request: FastifyRequest, faults: ValidationErrors): FieldFaults {
  const language = textLanguageOf(request)
  const told = Object.entries(writeValidationErrors(faults, language)).map(([name, fault]) => [
    name,
    { language, texts: [fault].flat() },
  ])
  return Object.fromEntries(told) as FieldFaults
}
