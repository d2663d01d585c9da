import sharp from 'sharp'

import type { ApiResponse } from '../../helpers/client.ts'
import type { Persona, PersonaRows } from './persona-rows.ts'

/** `path` is relative to the root. */
export type Request = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
]

export interface Row {
  readonly operation: string
  readonly what: string
  readonly request: (world: PersonaRows, persona: Persona) => Request | Promise<Request>
  /** The status that all personas get unless `exceptFor` names them. */
  readonly expected: number
  readonly exceptFor?: Readonly<Partial<Record<Persona, number>>>
  /** True if every persona without permission is refused before the body is read, not only an anonymous one. */
  readonly refusedFirst?: true
  readonly check?: (answer: ApiResponse, persona: Persona, world: PersonaRows) => void | Promise<void>
}

export const expectedStatuses = ({ expected, exceptFor = {} }: Row): number[] => [expected, ...Object.values(exceptFor)]

export const api = (path: string) => `/api/v2${path}`
export const anonymous401 = { anonymous: 401 }
export const onlyOwner = { anonymous: 401, owner: 204 }
export const UNKNOWN_ID = 2_000_000_000
export const UNKNOWN_LINK = 'x'.repeat(43)

export const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'navy' } })
  .png()
  .toBuffer()

export function form(fields: Readonly<Record<string, string | Buffer>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, new Blob([new Uint8Array(value)]), 'a.png')
  }
  return data
}
