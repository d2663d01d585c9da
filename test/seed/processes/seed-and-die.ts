// A process that adds a small demo to the database of its environment and is killed in the middle: the issues are written, what
// hangs on them is not.
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
