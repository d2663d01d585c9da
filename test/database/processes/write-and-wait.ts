// This process opens the database of its environment, inserts users named by its arguments and waits until it is killed.
import { setTimeout as pause } from 'node:timers/promises'

import { readConfig } from '../../../src/config.ts'
import { connect } from '../../../src/database/connect.ts'
import { sql } from '../../../src/database/database.ts'

const { database } = await connect(readConfig(process.env), { activity: 'writing names', say: () => {} })
for (const name of process.argv.slice(2)) await database.execute(sql`INSERT INTO users (name) VALUES (${name})`)
process.stdout.write('written\n')
for (;;) await pause(1000)
