import type { PrismaConfig } from 'prisma'

// `prisma generate` looks for the native schema engine, whose download is not possible everywhere. The generator does not
// need it, so any executable file satisfies the check (docs/adr/0002-database-access-and-migrations.md).
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

// Commands that need it fail with "Schema engine error:" and no reason.
if (['migrate', 'db'].includes(process.argv[2] ?? '')) {
  throw new Error(
    'Migrations are applied by `npm run migrate`: the commands of Prisma need its native engine, which is not installed.',
  )
}

export default {
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
} satisfies PrismaConfig
