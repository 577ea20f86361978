import type { KubeObject } from "@pilothouse/api"
import { findResults, parseTemplate, printResults, printResultsAsJson, relaxedTemplate, type TemplatePart } from "@pilothouse/api/jsonpath"
import { goFormat } from "@pilothouse/api/patch"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { ConnectionOptions } from "../client/connection.ts"
import { aligned } from "../client/table.ts"
import { oneOf } from "../flags/flag-values.ts"

/** The flags of `get`. */
export interface GetOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean
  readonly output?: Output
  readonly selector?: string
  readonly fieldSelector?: string
  readonly showLabels?: boolean
  readonly showManagedFields?: boolean
  readonly watch?: boolean
}

const formats = ["wide", "yaml", "json", "name"] as const
const templates = ["jsonpath=TEMPLATE", "jsonpath-as-json=TEMPLATE", "custom-columns=HEADER:PATH"] as const

/** What `-o` says, for its help. */
export const outputWords: readonly string[] = [...formats, ...templates]

/** A form of output: a word, or a template with its printer. */
type Output = (typeof formats)[number] | TemplateOutput

interface TemplateOutput {
  /** Prints an object or a List. Of a watch, only what comes first has headings. */
  print(document: KubeObject | ObjectList, headings?: boolean): string
}

interface ObjectList {
  readonly kind: "List"
  readonly items: readonly KubeObject[]
}

const word = oneOf("--output", [...formats, ...templates])

/** Reads the value of `-o`, as kubectl: "yaml", "jsonpath={.metadata.name}", "custom-columns=NAME:.metadata.name". */
export const parseOutput = Object.assign((text: string): Output => templateOutput(text) ?? (word(text) as (typeof formats)[number]), {
  words: formats as readonly string[],
})

function templateOutput(text: string): TemplateOutput | undefined {
  const [, name, template = ""] = /^(jsonpath|jsonpath-as-json|custom-columns)=(.*)$/s.exec(text) ?? []
  if (name === undefined) return undefined
  if (name === "custom-columns") return customColumns(template)
  const parts = parsed(template)
  const print = name === "jsonpath" ? printResults : printResultsAsJson
  return { print: (document) => found(template, parts, document).map(print).join("") }
}

function parsed(template: string): readonly TemplatePart[] {
  try {
    return parseTemplate(template)
  } catch (error) {
    throw new PilothouseError("USAGE", `error parsing jsonpath ${template}, ${messageOf(error)}`, { cause: error })
  }
}

function found(template: string, parts: readonly TemplatePart[], document: unknown): readonly (readonly unknown[])[] {
  try {
    return findResults(parts, document, { allowMissingKeys: true })
  } catch (error) {
    throw new PilothouseError("INVALID", `error executing jsonpath ${JSON.stringify(template)}: ${messageOf(error)}`)
  }
}

interface CustomColumn {
  readonly heading: string
  readonly path: string
  readonly parts: readonly TemplatePart[]
}

function customColumns(text: string): TemplateOutput {
  if (text === "") throw new PilothouseError("USAGE", "custom-columns format specified but no custom columns given")
  const columns = text.split(",").map(customColumn)
  const row = (object: KubeObject) => columns.map((column) => cellOf(column, object))
  return {
    print(document, headings = true) {
      const objects = isList(document) ? document.items : [document]
      return aligned([...(headings ? [columns.map(({ heading }) => heading)] : []), ...objects.map(row)])
    },
  }
}

function customColumn(text: string): CustomColumn {
  const colon = text.indexOf(":")
  if (colon < 0) throw new PilothouseError("USAGE", `unexpected custom-columns spec: ${text}, expected <header>:<json-path-expr>`)
  const path = relaxedTemplate(text.slice(colon + 1))
  return { heading: text.slice(0, colon), path, parts: parsed(path) }
}

function cellOf({ path, parts }: CustomColumn, object: KubeObject): string {
  const values = found(path, parts, object)
  if ((values[0] ?? []).length === 0) return "<none>"
  return values.flat().map(goFormat).join(",")
}

function isList(document: KubeObject | ObjectList): document is ObjectList {
  return document.kind === "List" && "items" in document
}
