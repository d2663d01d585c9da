import type { TSchema } from 'typebox'

import type { Database, Transaction } from '../../../database/database.ts'
import type { Links } from '../../../html/links.ts'
import type { SafeHtml } from '../../../html/template.ts'
import type { Capability } from '../../../http/identity/roles.ts'
import type { Viewer } from '../../../http/identity/viewer-queries.ts'
import type { Language, Texts } from '../../../locales/texts.ts'
import type { FormField } from './form.ts'

export const partNames = ['settings', 'request-types', 'questions', 'templates', 'targets', 'calendars'] as const
export type PartName = (typeof partNames)[number]

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
}

/** The state of a form. The row is undefined for a new one. */
export interface Edited<Item> {
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
  /** Adds a row without an id. @throws Problem 404, 422 */
  save(tx: Transaction, context: PartContext, id: number | undefined, body: object): Promise<unknown>
  /** @throws Problem 404, 422 */
  remove?(tx: Transaction, context: PartContext, id: number): Promise<void>
  /** @param ids all rows in their new order. @throws Problem 404, 422 */
  reorder?(tx: Transaction, context: PartContext, ids: readonly number[]): Promise<void>
  /** Returns what is shown next to the form, which the form can show again for its present values. */
  preview?(context: PartContext, edited: Edited<Item>): Promise<SafeHtml>
}
