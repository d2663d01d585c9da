import { sql } from '../../../src/database/database.ts'
import type { ApiResponse } from '../../helpers/client.ts'
import type { Reference } from '../openapi-responses.ts'
import { type Request, type Row, expectedStatuses } from './row.ts'
import { rows } from './rows.ts'
import type { Persona, PersonaRows } from './persona-rows.ts'

type Headers = Readonly<Record<string, string>>

/** A request that every operation refuses with the same status. */
export interface Convention {
  readonly status: number
  readonly what: string
  /** `body` limits the convention to operations that take one. */
  readonly needs: 'body' | 'nothing'
  readonly headers: Headers
  readonly body?: string
  /** This error precedes 401 for an anonymous caller. */
  readonly comesFirst?: true
}

const json = { 'content-type': 'application/json' }

export const conventions: readonly Convention[] = [
  { status: 400, what: 'a malformed body', needs: 'body', headers: json, body: '{"name": ' },
  { status: 413, what: 'a body of more than 1 MB', needs: 'body', headers: json, body: `"${'x'.repeat(1_100_000)}"` },
  { status: 415, what: 'an unsupported content type', needs: 'body', headers: { 'content-type': 'text/csv' }, body: 'a,b' },
  {
    status: 401,
    what: 'an unknown token',
    needs: 'nothing',
    headers: { authorization: 'Bearer fxp_unknown' },
    comesFirst: true,
  },
  { status: 403, what: 'no User-Agent', needs: 'nothing', headers: { 'user-agent': '' }, comesFirst: true },
]

/** Returns all documented operations, each with its first row, which is a valid request. */
export function listOperations({ paths }: Reference) {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, responses, requestBody }) => ({
      operationId,
      // A body is read even if the operation has no fields, so it can be malformed.
      takesBody: requestBody !== undefined || '415' in responses,
      documented: Object.keys(responses).map(Number),
      row: rows.find(({ operation }) => operation === operationId),
    }))
}
export type OperationWithRow = ReturnType<typeof listOperations>[number]

const appliesTo = ({ takesBody }: OperationWithRow, { needs }: Convention) => needs === 'nothing' || takesBody

export function rowsForConvention(convention: Convention, operations: readonly OperationWithRow[]): Row[] {
  return operations.flatMap((operation) => (operation.row && appliesTo(operation, convention) ? [operation.row] : []))
}

export function rowsWithKey(operations: readonly OperationWithRow[]): Row[] {
  return operations.flatMap(({ row, documented }) => (row && documented.includes(409) ? [row] : []))
}

export function reachedStatuses(operation: OperationWithRow): Set<number> {
  const { operationId, documented } = operation
  return new Set([
    ...rows.filter((row) => row.operation === operationId).flatMap(expectedStatuses),
    ...conventions.filter((convention) => appliesTo(operation, convention)).map(({ status }) => status),
    ...(documented.includes(409) ? [409, 422] : []),
  ])
}

/** Returns the status that a persona gets; missing permission precedes most conventions. */
export function expectedStatus(
  { expected, exceptFor = {}, refusedFirst }: Row,
  { status, comesFirst }: Convention,
  persona: Persona,
): number {
  const own = exceptFor[persona] ?? expected
  const isShutOut = (persona === 'anonymous' || refusedFirst === true) && own >= 400
  return isShutOut && !comesFirst ? own : status
}

export function sendAs(
  { app, people }: PersonaRows,
  persona: Persona,
  [method, path, body, headers = {}]: Request,
): Promise<ApiResponse> {
  const client = persona === 'anonymous' ? app.as.anonymous : app.as.user(people[persona])
  return client.send(method, path, body === undefined ? { headers } : { headers, body })
}

/** Sends a request with an `Idempotency-Key` four times: first, again, with other content, and while the first is marked as unfinished. */
export async function sendWithKey(world: PersonaRows, persona: Persona, { operation, request }: Row) {
  const [method, path, body, headers] = await request(world, persona)
  const withKey = { ...headers, 'idempotency-key': `${operation} of ${persona}`.replaceAll(' ', '-') }
  const send = () => sendAs(world, persona, [method, path, body, withKey])
  const first = await send()
  const again = await send()
  const [, , otherBody] = await request(world, persona)
  const other = await sendAs(world, persona, [method, body === undefined ? `${path}?other=1` : path, otherBody, withKey])
  await world.app.db.execute(sql`
    UPDATE idempotency_keys k SET status = NULL, headers = NULL, body = NULL, leased_until = now() + interval '1 minute'
    RETURNING k.scope`)
  const twin = await send()
  return { first, again, other, twin }
}
