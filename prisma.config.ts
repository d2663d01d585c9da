import { defineConfig } from 'prisma/config'

// `prisma generate` looks for the native schema engine, whose download is not possible everywhere. The generator does not
// need it, so any executable file satisfies the check (docs/adr/0003-prisma-without-native-engine.md).
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only `prisma migrate deploy` by hand needs an address; `npm run migrate` reads DATABASE_URL through src/config.ts.
  ...(process.env['DATABASE_URL'] ? { datasource: { url: process.env['DATABASE_URL'] } } : {}),
})
