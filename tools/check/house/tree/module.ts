import { type Comment, type Program, parseSync, type StaticExport, type StaticImport } from "oxc-parser"

export interface Import {
  readonly specifier: string
  readonly line: number
  /** Erased before the program runs (`import type`, `export type … from`). `import { type A }` is not: the module is still loaded. */
  readonly typeOnly: boolean
  /** `import("…")`: loaded when the line runs. */
  readonly dynamic: boolean
  /** The imported names; "*" for a namespace, "default" for the default export. */
  readonly names: readonly string[]
}

export interface Module {
  /** From the root of the workspace, with slashes. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
  readonly comments: readonly Comment[]
  /** The syntax tree; made when it is first asked for, which costs more than parsing. */
  readonly program: Program
  lineAt(offset: number): number
}

export function parseModule(path: string, text: string): Module {
  const parsed = parseSync(path, text, { preserveParens: false })
  const fault = parsed.errors[0]
  if (fault) throw new Error(`${path} does not parse: ${fault.message}`)
  const lineAt = lineFinder(text)
  const { staticImports, staticExports, dynamicImports } = parsed.module
  return {
    path,
    text,
    lineAt,
    imports: [
      ...staticImports.map((one) => fromImport(one, text, lineAt)),
      ...staticExports.flatMap((one) => fromExport(one, text, lineAt)),
      ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => fromDynamicImport(text.slice(start, end), lineAt(start))),
    ],
    comments: parsed.comments,
    get program() {
      return parsed.program
    },
  }
}

function fromImport(one: StaticImport, text: string, lineAt: Module["lineAt"]): Import {
  const names = one.entries.map(
    ({ importName }) => ({ Name: importName.name ?? "", NamespaceObject: "*", Default: "default" })[importName.kind],
  )
  const typeOnly =
    names.length > 0 && one.entries.every(({ isType }) => isType) && /^import\s+type\s/.test(text.slice(one.start, one.start + 40))
  return { specifier: one.moduleRequest.value, line: lineAt(one.start), typeOnly, dynamic: false, names }
}

function fromExport(one: StaticExport, text: string, lineAt: Module["lineAt"]): Import[] {
  const from = one.entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest
  if (!from) return []
  const typeOnly = /^export\s+type\s/.test(text.slice(one.start, one.start + 40))
  const names = one.entries.map(({ importName }) => importName.name ?? "*")
  return [{ specifier: from.value, line: lineAt(one.start), typeOnly, dynamic: false, names }]
}

/** Only a literal can be followed. */
function fromDynamicImport(argument: string, line: number): Import[] {
  const literal = /^["']([^"']*)["']$/.exec(argument)?.[1]
  return literal === undefined ? [] : [{ specifier: literal, line, typeOnly: false, dynamic: true, names: ["*"] }]
}

function lineFinder(text: string): (offset: number) => number {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
    let [low, high] = [0, starts.length]
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
