// This process adds a small demo to its database and is killed after it wrote the issues, but before their dependent rows.
import { seedDemo } from '../../../prisma/seeds/demo/demo.ts'
import { readConfig } from '../../../src/config.ts'
import { connect } from '../../../src/database/connect.ts'

const { database } = await connect(readConfig(process.env), { activity: 'seed-and-die', say: () => {} })
await seedDemo(database, {
  issuesPerCity: 5,
  say: (line) => {
    if (line.includes('changes of status')) process.kill(process.pid, 'SIGKILL')
  },
})
