import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

// The arrows of docs/ARCHITECTURE.md: who may import whom. A path is matched as it stands in the import, so `up` is the way out
// of the own folder, however deep that lies.
const up = String.raw`^(?:\.\./)+`
const faces = 'feeds|open311|ogc|tiles|exports|live|web|ops'

/** Everything outside the own folder is refused, but for what is named. */
const nothingBut = (allowed, message) => ({ regex: `${up}(?!\\.\\./|${allowed})`, message })

const refused = {
  app: {
    regex: String.raw`^(?:\.\./)*(?:\./)?(?:src/)?(?:app|server)\.ts$`,
    message: 'Only start files and tests may import the app.',
  },
  routes: {
    regex: String.raw`${up}(?:src/)?[\w-]+/(?:routes|command)\.ts$`,
    message: "Use another feature's queries.ts or schema.ts, never its routes.ts.",
  },
  faces: { regex: `${up}(?:src/)?(?:${faces})/`, message: 'Faces use features, never the other way round.' },
  jobs: {
    regex: String.raw`${up}jobs/(?!contracts\.ts$|queue\.ts$)`,
    message: 'Of the jobs only jobs/contracts.ts and jobs/queue.ts may be used here.',
  },
  tests: { regex: `${up}(?:test|prisma/seeds?)(?:/|\\.ts)`, message: 'What the service is made of needs neither tests nor seeds.' },
}

/** Where it says `files`, the last matching entry rules: the order is from the general to the particular. */
const arrows = [
  { files: ['src/*.ts'], patterns: [refused.app, refused.jobs, refused.tests] },
  { files: ['src/app.ts'], patterns: [refused.jobs, refused.tests] },
  {
    files: ['src/config.ts'],
    patterns: [
      {
        regex: String.raw`^\.(?!/(?:config-formats|explained|secret-files)\.ts$)`,
        message: 'The configuration knows nothing of the rest.',
      },
    ],
  },
  { files: ['src/*/**/*.ts'], patterns: [refused.app, refused.routes, refused.faces, refused.jobs, refused.tests] },
  { files: [`src/@(${faces})/**/*.ts`], patterns: [refused.app, refused.routes, refused.jobs, refused.tests] },
  {
    files: ['src/database/**/*.ts'],
    patterns: [
      nothingBut(String.raw`(?:config|explained)\.ts$|prisma/generated/`, 'The database knows nothing of what it is used for.'),
    ],
  },
  { files: ['src/database/*command.ts'], patterns: [refused.app, refused.routes, refused.faces, refused.jobs, refused.tests] },
  {
    files: ['src/geo/**/*.ts'],
    patterns: [
      nothingBut(String.raw`database/|http/problems\.ts$`, 'Geography stands on the database and on the list of problems only.'),
    ],
  },
  {
    files: ['src/geo/pyramid/**/*.ts'],
    patterns: [
      {
        regex: String.raw`^\.\./(?!\.\./database/|(?:area|box|circle|pieces|point|repair-pieces)\.ts$)`,
        message: 'The pyramid stands on the database and on the rest of geography only.',
      },
    ],
  },
  {
    files: ['src/texts/**/*.ts'],
    patterns: [{ regex: up, message: 'Texts are at the bottom: they need nothing.' }],
  },
  {
    files: ['src/http/**/*.ts'],
    patterns: [
      nothingBut(String.raw`(?:database|geo|texts)/|config\.ts$|package\.json$`, 'What all features share knows none of them.'),
    ],
  },
  {
    files: ['src/http/problems.ts'],
    patterns: [{ regex: String.raw`^\.`, message: 'The list of problems is at the bottom: it needs nothing.' }],
  },
  { files: ['jobs/**/*.ts'], patterns: [refused.app, refused.routes, refused.faces, refused.tests] },
  { files: ['src/server.ts', 'jobs/worker.ts'], patterns: [refused.routes, { ...refused.tests, regex: `${up}test/` }] },
  {
    files: ['jobs/contracts.ts'],
    patterns: [{ regex: String.raw`^\.`, message: 'A contract says what a job is, not how it is done.' }],
  },
  { files: ['prisma/**/*.ts'], patterns: [refused.app, refused.routes, refused.faces] },
]

/** These are handed the environment or are at the edge of the program; everything else gets the parsed configuration. */
const startFiles = ['src/server.ts', 'jobs/worker.ts', 'src/**/*command.ts', 'prisma/seed.ts']
const mayReadEnvironment = [...startFiles, 'src/config.ts', '*.config.ts', 'test/**/*.ts']

const environment = [
  { name: 'node:process', importNames: ['env'], message: 'src/config.ts parses the environment; take the config.' },
  { name: 'process', message: "Import 'node:process', or use the global." },
]

export default defineConfig(
  globalIgnores(['node_modules', 'data', 'prisma/generated', 'coverage']),
  // A rule that is in the way is changed here, for everybody to see.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Fastify's plugins and handlers are async by contract, whether they wait for something or not.
      '@typescript-eslint/require-await': 'off',
      // Services are plain objects whose functions know no `this`; they are handed on one by one.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: environment[0]?.message }],
    },
  },
  ...arrows.map(({ files, patterns }) => ({
    files,
    rules: { 'no-restricted-imports': ['error', { paths: environment, patterns }] },
  })),
  {
    files: mayReadEnvironment,
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: startFiles,
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Bodies of answers are what the server sent, and expect's patterns are of any type by design.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression > MemberExpression[object.name=/^(test|describe|it)$/][property.name=/^(only|skip|todo|fails)$/]',
          message: 'A promise is kept or not made: no test is left out.',
        },
      ],
    },
  },
  {
    // Scripts of pages run in browsers.
    files: ['src/web/files/*.js'],
    languageOptions: { globals: { document: 'readonly', navigator: 'readonly', addEventListener: 'readonly' } },
  },
  {
    // An import() would go round the arrows; a start file may put off what only it needs.
    files: ['src/**/*.ts', 'jobs/**/*.ts'],
    ignores: startFiles,
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ImportExpression', message: 'Import at the top of the file, where the arrows are checked.' },
      ],
    },
  },
)
