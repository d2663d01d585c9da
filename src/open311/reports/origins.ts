import type { FastifyRequest } from 'fastify'

import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { listLinks, VIA } from '../../georeport/web-links.ts'
import type { Urls } from '../../http/request/urls.ts'
import { isId } from '../input/parameters.ts'

/** One for each service that forwarded the report. They are sent on in one header, which servers limit to 8 kB. */
const ADDRESSES_MAX = 20
const ADDRESS_LENGTH_MAX = 300

/**
 * Returns the addresses of the issues that a forwarded report stands for, from its `Link` header (RFC 8288, `rel="via"`). Longer addresses than
 * those of issues are left out. No key is needed, because the header has an effect on its own report only.
 * @throws Problem 409 with a link to the issue if this service has forwarded one of them, because the report would come back
 */
export async function readOrigins(db: PrismaHandle, request: FastifyRequest, urls: Urls): Promise<string[]> {
  const addresses = listLinks([request.headers.link ?? ''].flat().join(', '), VIA)
    .filter((address) => address.length <= ADDRESS_LENGTH_MAX)
    .slice(0, ADDRESSES_MAX)
  const own = await findForwardedIssue(db, addresses, urls)
  if (own !== undefined) throw problems.reportIsHere(urls.at(`/issues/${own}`))
  return addresses
}

async function findForwardedIssue(db: PrismaHandle, addresses: readonly string[], urls: Urls): Promise<number | undefined> {
  const own = urls.at('/issues/')
  const ids = addresses.flatMap((address) => {
    const id = address.startsWith(own) ? address.slice(own.length) : ''
    return isId(id) ? Number(id) : []
  })
  if (ids.length === 0) return undefined
  const forwarded = await db.prisma.forwardedIssue.findFirst({ where: { issue_id: { in: ids } }, select: { issue_id: true } })
  return forwarded?.issue_id
}

/** Stores the origins of an issue, which are sent with it if it is forwarded. */
export async function addOrigins(tx: Transaction, issueId: number, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  await tx.prisma.reportOrigins.create({ data: { issue_id: issueId, addresses: [...addresses] } })
}
