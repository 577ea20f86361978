import type { KubeObject } from "@pilothouse/api"
import { exactNumber, type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { type Document, type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions, type Tags } from "yaml"

/** An object of a file, and where it stands, for messages. */
export interface Manifest {
  readonly object: KubeObject
  readonly from: string
}

/** Which of the documents are read. */
export interface ManifestOptions {
  /** Documents of other kinds are skipped, whatever they say: "CustomResourceDefinition". */
  readonly kind?: string
}

const endings = /\.(ya?ml|json)$/

/** Returns every object of a file, or of the files of a directory in the order of their names. Lists are taken apart. */
export function readManifests(files: Files, path: string, options: ManifestOptions = {}): readonly Manifest[] {
  const facts = files.facts(path)
  if (facts === undefined) throw new PilothouseError("INVALID", `expected a file or directory at ${path}, found nothing`)
  if (!facts.directory) return parseManifests(readText(files, path) ?? "", path, options)
  const names = [...files.list(path)].filter((name) => endings.test(name)).sort()
  if (names.length === 0) throw new PilothouseError("INVALID", `expected .yaml, .yml or .json files in ${path}, found none`)
  return names.flatMap((name) => readManifests(files, `${path}/${name}`, options))
}

/** Returns every object of a text, which is YAML with any number of documents, or JSON. */
export function parseManifests(text: string, from: string, { kind }: ManifestOptions = {}): readonly Manifest[] {
  const documents = parseAllDocuments(text, kubectlYaml)
  return [...documents].flatMap((document, index) => {
    const where = `${from}, document ${index + 1}`
    const [fault] = document.errors
    if (fault !== undefined) throw new PilothouseError("INVALID", `expected YAML in ${where}, found ${messageOf(fault)}`)
    return valuesIn(valueOfYaml(document), where)
      .filter(({ value }) => kind === undefined || (value as Partial<KubeObject>).kind === kind)
      .map(({ value, from: place }) => ({ object: objectOf(value, place), from: place }))
  })
}

/** Go has it beside 0644. */
const octal = { tag: "tag:yaml.org,2002:int", default: true, test: /^0o[0-7]+$/, resolve: Number } as const

/** As kubectl reads it, which is YAML 1.1 for the most part: 0400 is the mode of a file, and "yes" is true. Times are texts, and so is 1:30. */
const kubectlYaml: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  intAsBigInt: true,
  customTags: (tags) => [...tags.filter((tag) => !isTime(tag)), octal],
}

function isTime(tag: Tags[number]): boolean {
  return typeof tag !== "string" && (("format" in tag && tag.format === "TIME") || tag.tag.endsWith(":timestamp"))
}

/** Returns what a document says, with integers as they are everywhere else. */
function valueOfYaml(document: Document.Parsed): unknown {
  return document.toJS({ reviver: (_key, value: unknown) => (typeof value === "bigint" ? exactNumber(value) : value) })
}

interface PlacedValue {
  readonly value: unknown
  readonly from: string
}

function valuesIn(value: unknown, from: string): readonly PlacedValue[] {
  if (value === null || value === undefined) return []
  if (isList(value)) return value.items.flatMap((item, index) => valuesIn(item, `${from}, item ${index + 1}`))
  return [{ value, from }]
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  const { kind, items } = (value ?? {}) as { readonly kind?: unknown; readonly items?: unknown }
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
}

function objectOf(value: unknown, from: string): KubeObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<KubeObject>
  const missing = [
    ...(typeof apiVersion === "string" ? [] : ["apiVersion"]),
    ...(typeof kind === "string" ? [] : ["kind"]),
    ...(typeof metadata?.name === "string" || typeof metadata?.generateName === "string" ? [] : ["metadata.name"]),
  ]
  if (missing.length === 0) return value as KubeObject
  throw new PilothouseError(
    "INVALID",
    `expected an object with apiVersion, kind and metadata.name in ${from}, found none of ${missing.join(", ")}`,
  )
}
