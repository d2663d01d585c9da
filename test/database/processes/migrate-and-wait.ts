// This process migrates the database like a starting web server, and keeps its connections until it is killed.
import { setTimeout as pause } from 'node:timers/promises'

import { readConfig } from '../../../src/config.ts'
import { connect } from '../../../src/database/connect.ts'
import { sql } from '../../../src/database/database.ts'

const { database, isNew } = await connect(readConfig(process.env), { activity: 'migrate-and-wait', say: () => {} })
process.stdout.write(`ready ${JSON.stringify({ isNew })}\n`)
for (;;) {
  await database.execute(sql`SELECT 1 AS alive`)
  await pause(200)
}
