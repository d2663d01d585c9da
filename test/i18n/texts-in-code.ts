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
const files = globSync('src/**/*.ts', { cwd: root, exclude: ['src/i18n/**', 'src/cli/**', 'src/imports/**'] })

/** All literals and templates of the service's code. */
export function textsInCode(): TextInCode[] {
  const nodes = files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
    const found: ts.Node[] = []
    const walk = (node: ts.Node): void => {
      found.push(node)
      ts.forEachChild(node, walk)
    }
    walk(source)
    return found
  })
  const handedOn = new Set(nodes.filter((node) => ts.isIdentifier(node) && isErrorText(node)).map((node) => node.getText()))
  const isConstantOfError = ({ parent }: ts.Node) =>
    ts.isVariableDeclaration(parent) && /^[A-Z_]+$/.test(parent.name.getText()) && handedOn.has(parent.name.getText())
  return nodes.flatMap((node) => {
    const text = textOf(node)
    if (text === undefined || isName(node)) return []
    const source = node.getSourceFile()
    const at = `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    return [{ text, at, isError: isErrorText(node) || isConstantOfError(node) }]
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

/** What makes a failure of all that it is given, and what of the second thing: the first is a status, or the name of a field. */
const MAKERS = /^(problems\.(?!foreignForm|methodNotAllowed)\w+|invalid|toldTo)$/
const NAMING_MAKERS = /^(message|refuse)$/
const HOLDERS = /^(faults|damaged)\[/

/** Where a failure is made, or a schema says what is allowed: the text itself, not what is looked up or called on the way. */
function isErrorText(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) {
    return parent.initializer === node && (parent.name.getText() === "'x-allowed'" || isErrorText(parent.parent))
  }
  if (ts.isNewExpression(parent)) return parent.expression.getText() === 'PictureRefused'
  if (ts.isCallExpression(parent)) {
    const maker = parent.expression.getText()
    return parent.expression !== node && (MAKERS.test(maker) || (NAMING_MAKERS.test(maker) && parent.arguments[1] === node))
  }
  if (ts.isBinaryExpression(parent)) {
    return parent.right === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && HOLDERS.test(parent.left.getText())
  }
  const isPassedOn = ts.isArrayLiteralExpression(parent) || ts.isParenthesizedExpression(parent) || isBranch(node, parent)
  return (isPassedOn || ts.isSpreadAssignment(parent) || ts.isObjectLiteralExpression(parent)) && isErrorText(parent)
}

const isBranch = (node: ts.Node, parent: ts.Node) => ts.isConditionalExpression(parent) && parent.condition !== node
