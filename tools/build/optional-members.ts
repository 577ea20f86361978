import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"

/**
 * Makes the declarations of a package say the same under every compiler setting of a user.
 *
 * Here an optional member may be undefined; under exactOptionalPropertyTypes it may only be missing, and what our own functions return would not fit
 * our own types. So the published declarations say `| undefined`, which the sources need not. A `lib` that is older than Disposable gets it too.
 */
export function adaptDeclarations(dist: string): void {
  const all = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".d.ts"))
  for (const path of all) {
    const file = join(dist, path)
    const text = readFileSync(file, "utf8")
    writeFileSync(file, withDisposable(withUndefined(text, file)))
  }
}

const disposableLib = '/// <reference lib="esnext.disposable" />\n'

export function withDisposable(text: string): string {
  return /\b(Async)?Disposable(Stack)?\b|\bSymbol\.(asyncD|d)ispose\b/.test(text) ? disposableLib + text : text
}

/** `again?: Again` becomes `again?: Again | undefined`. */
export function withUndefined(text: string, file = "index.d.ts"): string {
  const inserted = optionalTypes(parseSync(file, text).program).flatMap(({ type, start, end }) =>
    needsParentheses.has(type)
      ? [
          { at: start, what: "(" },
          { at: end, what: ") | undefined" },
        ]
      : [{ at: end, what: " | undefined" }],
  )
  // From the end, so that the places before stay true.
  inserted.sort((one, other) => other.at - one.at)
  return inserted.reduce((written, { at, what }) => written.slice(0, at) + what + written.slice(at), text)
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const members = new Set(["TSPropertySignature", "PropertyDefinition", "TSMappedType"])
const needsParentheses = new Set(["TSFunctionType", "TSConstructorType", "TSConditionalType", "TSInferType"])
/** These have undefined in them. */
const isUndefined = new Set(["TSUndefinedKeyword", "TSUnknownKeyword", "TSAnyKeyword"])

function optionalTypes(node: unknown): readonly Node[] {
  if (Array.isArray(node)) return node.flatMap(optionalTypes)
  if (!isNode(node)) return []
  const inner = Object.values(node).flatMap(optionalTypes)
  const own = members.has(node.type) && isOptional(node) ? typeOf(node) : undefined
  return own === undefined || allowsUndefined(own) ? inner : [...inner, own]
}

/** A mapped type that takes the question marks away says "-". */
function isOptional({ optional }: Node): boolean {
  return optional === true || optional === "+"
}

/** A member has its type in an annotation; a mapped type has it as it is. */
function typeOf({ typeAnnotation: given }: Node): Node | undefined {
  if (!isNode(given)) return undefined
  return given.type === "TSTypeAnnotation" ? typeOf(given) : given
}

function allowsUndefined({ type, types }: Node): boolean {
  return isUndefined.has(type) || (type === "TSUnionType" && Array.isArray(types) && types.some(allowsUndefined))
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
}
