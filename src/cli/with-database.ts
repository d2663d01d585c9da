import { type Config, readConfig } from '../config.ts'
import { connect } from '../database/connect.ts'

type Options = Parameters<typeof connect>[1]
type Opened = Awaited<ReturnType<typeof connect>>['database']

/** Opens the database of the environment for `work`. @param migrateOnStart the default is that of MIGRATE_ON_START */
export async function withDatabase<Result>(
  { migrateOnStart, ...options }: Options & { readonly migrateOnStart?: boolean },
  work: (database: Opened, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env, { requirePublicUrl: false })
  const { database } = await connect({ ...config, migrateOnStart: migrateOnStart ?? config.migrateOnStart }, options)
  try {
    return await work(database, config)
  } finally {
    await database.close()
  }
}
