// This process works on bulk runs of the database at a URL, and is killed with the changes of the second batch before their commit.
import { openPostgres } from '../../../src/database/postgres.ts'
import { runNextBatch } from '../../../src/staff/bulk/run.ts'

const database = openPostgres({ url: process.argv[2] ?? '' })
await runNextBatch(database, new Date())
await runNextBatch(
  {
    transaction: (work) =>
      database.transaction(async (tx) => {
        await work(tx)
        process.kill(process.pid, 'SIGKILL')
        throw new Error('The process survived its kill')
      }),
  },
  new Date(),
)
