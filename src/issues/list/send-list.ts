import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Language } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import { weakEtag } from '../../http/caching/conditional.ts'
import { createKeptPages, type PageVersion } from '../../http/caching/kept-pages.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import type { Services } from '../../services.ts'
import type { UserSummaryRow } from '../../users/present.ts'
import { type ListRequest, type ListResult, readList } from './read-list.ts'
import { findListVersion, type ListVersion } from './version.ts'

interface RequestedList {
  readonly reader: Queryable
  readonly listRequest: ListRequest
  readonly viewer: Viewer | null
  readonly type: string
  /** Null for formats in which names of request types and organisations are in their own language. */
  readonly language: Language | null
}

interface RenderedList {
  readonly body: string
  readonly headers?: Readonly<Record<string, string | number>>
  /** The users whom the body shows. */
  readonly people: readonly (UserSummaryRow | null)[]
  /** False for a body that depends on more than the version of the list. */
  readonly isKept?: boolean
}

/** Returns a function that sends a page of a list, which is kept in memory for anonymous callers. */
export function createListSender({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  const send = createKeptPages<readonly number[], PageVersion & { readonly list: ListVersion }>(db, clock)

  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { reader, listRequest, viewer, type, language }: RequestedList,
    render: (list: ListResult) => Promise<RenderedList>,
  ) => {
    // The same URL may mean another list later, such as one whose search is corrected by other words. A cursor has a hash of the list as it was asked for.
    const resolvedListHash = weakEtag(JSON.stringify(listRequest))
    const toText = ({ version }: ListVersion, people: string) => [resolvedListHash, version, people].join('|')
    return send(request, reply, {
      key: `${type} ${language ?? ''} ${request.url}`,
      findVersion: async (ids) => {
        const list = await findListVersion(reader, listRequest.area, ids)
        return { text: toText(list, list.people ?? ''), list }
      },
      read: async (found) => {
        const version = found?.list ?? (request.viewer ? undefined : await findListVersion(reader, listRequest.area))
        const { body, headers, people, isKept = true } = await render(await readList(reader, listRequest, viewer, version))
        const revisions = formatRevisions(people)
        return {
          body,
          headers: { 'content-type': type, ...(language === null ? {} : { 'content-language': language }), ...headers },
          version: version && isKept ? { text: toText(version, revisions.join()) } : undefined,
          shown: revisions.map((revision) => Number.parseInt(revision, 10)),
        }
      },
    })
  }
}

/** Returns the texts of `ListVersion.people`. A user who changed while the list was read has two, which equal no later version. */
function formatRevisions(people: readonly (UserSummaryRow | null)[]): string[] {
  const revisions = people.flatMap((user) => (user ? [`${user.id} ${user.summary_revision}`] : []))
  return [...new Set(revisions)].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
}
