import type { KubeObject } from "@pilothouse/api"
import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { parseAllDocuments } from "yaml"
import { kubectlYaml, valueOfYaml } from "./kubectl-yaml.ts"

/** An object of a file, and where it stands, for messages. */
export interface Manifest {
  readonly object: KubeObject
  readonly from: string
}

const endings = /\.(ya?ml|json)$/

/** Every object of a file, or of the files of a directory in the order of their names; "-" is what `standardInput` gives. Lists are taken apart. */
export function readManifests(files: Files, path: string, standardInput: () => string): readonly Manifest[] {
  if (path === "-") return parseManifests(standardInput(), "standard input")
  if (/^https?:\/\//.test(path))
    throw new PilothouseError(
      "USAGE",
      `expected a file, a directory or -, found an address; pipe it: curl -sSL ${path} | pilothouse apply -f - (or delete)`,
    )
  const facts = files.facts(path)
  if (facts === undefined) throw new PilothouseError("USAGE", `expected a file or directory at ${path}, found nothing`)
  if (!facts.directory) return parseManifests(readText(files, path) ?? "", path)
  const names = [...files.list(path)].filter((name) => endings.test(name)).sort()
  if (names.length === 0) throw new PilothouseError("USAGE", `expected .yaml, .yml or .json files in ${path}, found none`)
  return names.flatMap((name) => readManifests(files, `${path}/${name}`, standardInput))
}

/** JSON is YAML too. */
export function parseManifests(text: string, from: string): readonly Manifest[] {
  const documents = parseAllDocuments(text, kubectlYaml)
  return [...documents].flatMap((document, index) => {
    const where = `${from}, document ${index + 1}`
    const [fault] = document.errors
    if (fault !== undefined) throw new PilothouseError("USAGE", `expected YAML in ${where}, found ${messageOf(fault)}`)
    return objectsIn(valueOfYaml(document), where)
  })
}

function objectsIn(value: unknown, from: string): readonly Manifest[] {
  if (value === null || value === undefined) return []
  if (isList(value)) return value.items.flatMap((item, index) => objectsIn(item, `${from}, item ${index + 1}`))
  return [{ object: objectOf(value, from), from }]
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
    "USAGE",
    `expected an object with apiVersion, kind and metadata.name in ${from}, found none of ${missing.join(", ")}`,
  )
}
