import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { type EndpointClient, EndpointError } from '../../src/georeport/endpoint-client.ts'
import { textsIn } from '../../src/locales/texts.ts'
import { retryDeadLetter } from '../../src/outbox/dead-letters.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWorker, report } from './city.ts'
import { endpoints, useOtherInstallation } from './other-installation.ts'

const app = useApp()
const installation = useOtherInstallation(app)

const actions = ['comments', 'acknowledge', 'close', 'open'] as const
const changes = actions.flatMap((action) => [`own ${action}`, `other ${action}`] as const)
const transfers = ['deliver', 'deliver without a response', 'be refused', 'retry dead letters', 'poll'] as const
type Step = (typeof changes)[number] | (typeof transfers)[number]

interface Sequence {
  readonly steps: readonly Step[]
  readonly extended_statuses: boolean
  /** The endpoint refuses updates without a status. */
  readonly requiresStatus: boolean
}

const sequences = fc.record<Sequence>({
  steps: fc.array(fc.constantFrom<Step>(...changes, ...changes, ...transfers, 'deliver', 'poll'), { maxLength: 14 }),
  extended_statuses: fc.boolean(),
  requiresStatus: fc.boolean(),
})

const example = (steps: Step[], requiresStatus = false): [Sequence] => [{ steps, extended_statuses: true, requiresStatus }]
const examples = [
  example(['other close', 'own acknowledge']),
  example(['other close', 'own acknowledge', 'poll', 'deliver', 'other open']),
  example(['other close', 'own comments'], true),
  example(['other acknowledge', 'own close']),
  example(['own close', 'own open', 'other acknowledge']),
]

/** Comments on statuses that were read from the service request. */
const standardComments: ReadonlySet<string> = new Set(Object.values(textsIn('en').section('standardUpdate')))

const isUpdate = ({ method, url }: Parameters<EndpointClient['send']>[0]) =>
  method === 'POST' && url.includes('/servicerequestupdates')
const refusing: EndpointClient = {
  send: (request, signal) => (isUpdate(request) ? Promise.resolve({ status: 422, text: '' }) : endpoints.send(request, signal)),
}
const losing = (client: EndpointClient): EndpointClient => ({
  async send(request, signal) {
    const response = await client.send(request, signal)
    if (isUpdate(request) && response.status < 300) throw new EndpointError('the response is lost', true)
    return response
  },
})
const requiring: EndpointClient = {
  send: (request, signal) => (request.form?.has('status') === false ? refusing : endpoints).send(request, signal),
}

function createWorkers(requiresStatus: boolean) {
  const client = requiresStatus ? requiring : endpoints
  const [worker, loser, refused] = [client, losing(client), refusing].map((one) => createWorker(app, { more: { endpoints: one } }))
  return { worker: worker!, loser: loser!, refused: refused! }
}

async function retryDeadLetters(): Promise<void> {
  for (const { event_id, handler } of await createWorker(app).deadLetters()) await retryDeadLetter(app.db, event_id, handler)
}

async function find(db: typeof app.db, id: number) {
  const { status, comments } = await db.prisma.issue.findUniqueOrThrow({ where: { id }, include: { comments: true } })
  const texts = comments.map(({ comment }) => comment).filter((text) => !standardComments.has(text))
  return { status, comments: texts.toSorted() }
}

describe('two installations', () => {
  it('have the same status, and each comment once, after any sequence of changes', async () => {
    const { city, act } = await installation.createCities()
    const own = app.as.user(city.employee)
    let count = 0

    const run = async ({ steps, extended_statuses, requiresStatus }: Sequence) => {
      await app.db.prisma.forwardingEndpoint.updateMany({ data: { extended_statuses } })
      const id = await report(app, city, { answers: { summary: `Pothole ${++count}` } })
      const { worker, loser, refused } = createWorkers(requiresStatus)
      await worker.deliver()
      const forwarded = await app.db.prisma.forwardedIssue.findUniqueOrThrow({ where: { issue_id: id } })
      const remoteId = Number(forwarded.service_request_id)
      const written: string[] = []
      const write = async (side: string, action: string, comment: string) => {
        const path = `/api/v2/issues/${id}/${action}`
        const status =
          side === 'own' ? (await own.send('POST', path, { body: { comment } })).status : await act(remoteId, action, comment)
        if (status === 201) written.push(comment)
      }
      const transfer: Readonly<Record<string, () => Promise<unknown>>> = {
        deliver: worker.deliver,
        'deliver without a response': () => loser.deliver().then(worker.wait),
        'be refused': refused.deliver,
        'retry dead letters': retryDeadLetters,
        poll: worker.poll,
      }
      for (const [n, step] of steps.entries()) {
        const [side = '', action = ''] = step.split(' ')
        await (transfer[step] ?? (() => write(side, action, `Step ${n} of issue ${id}.`)))()
      }

      await retryDeadLetters()
      for (let turn = 0; turn < 4; turn++) {
        await worker.wait()
        await worker.deliver()
        await worker.poll()
      }

      const [mine, theirs] = [await find(app.db, id), await find(installation.db, remoteId)]
      expect([mine.comments, theirs.comments]).toEqual([written.toSorted(), written.toSorted()])
      // An acknowledged issue cannot become open again, and is open for endpoints without extended statuses.
      const isSame = mine.status === theirs.status || (mine.status === 'Acknowledged' && theirs.status === 'Open')
      expect(isSame, `${mine.status} here, ${theirs.status} there`).toBe(true)
      expect([await worker.pending(), await worker.deadLetters(), await worker.pollError()]).toEqual([[], [], null])
      // Polls of later runs need not read these updates.
      await installation.db.execute(
        sql`UPDATE comments c SET created_at = c.created_at - interval '10 days' WHERE c.issue_id = ${remoteId}`,
      )
    }

    await fc.assert(fc.asyncProperty(sequences, run), { ...runs(10), examples })
  }, 600_000)
})
