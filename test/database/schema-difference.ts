import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { readFile } from 'node:fs/promises'
import { PrismaPGlite } from 'pglite-prisma-adapter'

import type { EmbeddedDatabase } from '../../src/database/embedded.ts'

const noFilters = { externalTables: [], externalEnums: [] }

/** Returns the SQL that is missing for prisma/schema.prisma, according to Prisma's schema engine (WASM). */
export async function findSchemaDifference({ pglite }: EmbeddedDatabase): Promise<string> {
  await loadEngine()
  const content = await readFile('prisma/schema.prisma', 'utf8')
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(pglite))
  const schemaEngine = await engine.SchemaEngine.new({ datamodels: [['schema.prisma', content]] }, () => {}, adapter)
  try {
    const files = [{ path: 'schema.prisma', content }]
    const difference = await schemaEngine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      shadowDatabaseUrl: null,
      filters: noFilters,
    } as Parameters<typeof schemaEngine.diff>[0])
    return difference.stdout ?? ''
  } finally {
    schemaEngine.free()
  }
}

async function loadEngine(): Promise<void> {
  const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'))
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': engine as unknown as WebAssembly.ModuleImports,
  })
  engine.__wbg_set_wasm(instance.exports)
  const start = instance.exports['__wbindgen_start']
  if (typeof start === 'function') (start as () => void)()
}
