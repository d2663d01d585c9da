import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A text as it stands in the code. */
export interface TextInCode {
  /** What a template fills in is `HOLE`. */
  readonly text: string
  /** File and line. */
  readonly at: string
  /** Handed straight to what makes a failure, or what a schema says is allowed. */
  readonly isError: boolean
}

export const HOLE = '\uE000'

const root = join(import.meta.dirname, '..', '..')
/** Start files speak to the person at the terminal, in English. */
const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/texts/**', 'src/**/*command.ts', 'src/imports/**'] })

/** All literals and templates of the service's code. */
export function textsInCode(): TextInCode[] {
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
    const found: TextInCode[] = []
    const walk = (node: ts.Node): void => {
      const text = textOf(node)
      const line = () => source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      if (text !== undefined && !isName(node)) found.push({ text, at: `${file}:${line()}`, isError: isErrorText(node) })
      ts.forEachChild(node, walk)
    }
    walk(source)
    return found
  })
}

/** Undefined for what is no text. A text that is too long for a line is added up of several. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(HOLE)
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === undefined || right === undefined ? undefined : left + right
}

const isName = ({ parent, ...node }: ts.Node) =>
  (ts.isPropertyAssignment(parent) && parent.name.pos === node.pos) ||
  ts.isImportDeclaration(parent) ||
  ts.isElementAccessExpression(parent)

/** `problems.x(…)`, `invalid(…)`, `new PictureRefused(…)`, `'x-allowed': …`: the text itself, not what is looked up or called on the way. */
function isErrorText(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) {
    return parent.name.getText() === "'x-allowed'" || isErrorText(parent.parent)
  }
  if (ts.isNewExpression(parent)) return parent.expression.getText() === 'PictureRefused'
  if (ts.isCallExpression(parent))
    return /^(problems\.(?!foreignForm|methodNotAllowed)\w+|invalid)$/.test(parent.expression.getText())
  const isPassedOn =
    ts.isArrayLiteralExpression(parent) || ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)
  return (isPassedOn || ts.isSpreadAssignment(parent) || ts.isObjectLiteralExpression(parent)) && isErrorText(parent)
}
