import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'

import { Problem } from '../http/problems.ts'
import { problemOfValidation } from '../http/validation.ts'
import type { FieldFaults } from './fields.ts'

/** What a form may be sent with; the schema of a page's form says it for validation, and what was typed is kept by these. */
export type Typed = Readonly<Record<string, unknown>>

export const typedIn = (body: unknown): Typed => (typeof body === 'object' && body !== null ? (body as Typed) : {})

/** One value as text; a form has no other. */
export function textIn(typed: Typed, name: string): string {
  const value = typed[name]
  return typeof value === 'string' ? value : ''
}

/** For `preValidation`: an empty field is one that nobody filled in, not a value. */
export async function dropBlanks(request: FastifyRequest): Promise<void> {
  request.body = Object.fromEntries(Object.entries(typedIn(request.body)).filter(([, value]) => value !== ''))
}

/** For routes with `attachValidation`: what the schema refuses, as faults beside the fields. */
export function faultsOfInput(request: FastifyRequest): FieldFaults {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  return validation ? faultsOf(problemOfValidation({ validation, validationContext: 'body' }, request)) : {}
}

/** The faults of what a feature refused. @throws whatever else it is, which is no matter of the fields */
export function faultsOf(error: unknown): FieldFaults {
  if (error instanceof Problem && error.body.kind !== 'message') return error.body.fields
  throw error
}
