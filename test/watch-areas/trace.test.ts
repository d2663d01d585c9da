import { expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { OPS_TOKEN, opsBearer } from '../ops/ops-app.ts'
import { createWatchScenario } from './watch-scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp({ env: { OPS_TOKEN } })
const { watch, reported, mail, makeDigests, worker } = createWatchScenario(
  () => app.db,
  () => app.create,
)
const DUE = '2026-11-20T11:51:42.696Z'

it('the trace of a digest shows its area and mail, and that of an anonymous report no watcher', async () => {
  const [ada, ben] = [await app.create.user({ name: 'Ada' }), await app.create.user({ name: 'Ben' })]
  const area = await watch({ user: ada, frequency: 'daily', next_digest_at: DUE })
  await watch({ user: ben })
  const { event } = await reported({ reporter: await app.create.user(), anonymous: true })
  await mail()
  await makeDigests(new Date(DUE))
  await worker().send()
  const [digest] = await queryRows<{ id: number }>(app.db, sql`SELECT v.id FROM events v WHERE v.type = 'watch_area.digest_due'`)

  const traces = []
  for (const id of [digest?.id, event]) traces.push(await app.as.anonymous.send('GET', `/ops/trace/${id}`, { headers: opsBearer }))

  expect(traces.map(({ body }) => body)).toMatchObject([
    {
      events: [
        {
          ...{ type: 'watch_area.digest_due', subject_id: area, actor_id: null, named: true, deliveries: [] },
          mails: [{ status: 'sent', to: 'a…@e….org' }],
        },
      ],
    },
    { events: [{ type: 'issue.reported', actor_id: null, named: false, mails: [{ status: 'sent', to: null }] }] },
  ])
})
