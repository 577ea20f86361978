import { PilothouseError, withoutSecrets } from "@pilothouse/seams"
import { checkFields, clusterFields, contextFields, valueType, userFields } from "./fields.ts"
import type { Kubeconfig } from "./types.ts"

type Fields = Readonly<Record<string, unknown>>

/** Reads one file. Says where something is wrong, and never shows a value that may be a secret. */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const root = await readYaml(text, path)
  if (root.kind !== undefined && root.kind !== "Config") {
    throw new PilothouseError("INVALID", `expected kind "Config" in ${path}, found ${JSON.stringify(root.kind)}; this is no kubeconfig`)
  }
  const current = root["current-context"]
  if (current !== undefined && current !== null && typeof current !== "string") {
    throw new PilothouseError("INVALID", `expected text in current-context in ${path}, found ${valueType(current)}; put it in quotes`)
  }
  return {
    clusters: entries(root, { list: "clusters", entry: "cluster", path, fields: clusterFields }),
    users: entries(root, { list: "users", entry: "user", path, fields: userFields }),
    contexts: entries(root, { list: "contexts", entry: "context", path, fields: contextFields }),
    currentContext: current || undefined,
    from: [path],
  }
}

/** The YAML library is loaded when there is something to read: in a pod there is not. */
async function readYaml(text: string, path: string): Promise<Fields> {
  const { parse } = await import("yaml")
  const found = withoutSecrets(path, () => parse(text, { logLevel: "error" }))
  if (found === null || found === undefined) return {}
  if (isFields(found)) return found
  throw new PilothouseError("INVALID", `expected a kubeconfig in ${path}, found ${valueType(found)}; check the path`)
}

interface Section {
  readonly list: string
  readonly entry: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

function entries<Entry>(root: Fields, section: Section): ReadonlyMap<string, Entry> {
  const { list, entry, path } = section
  const items = root[list] ?? []
  if (!Array.isArray(items))
    throw new PilothouseError("INVALID", `expected a list in ${list} in ${path}, found ${valueType(items)}; mend the file`)
  const found = new Map<string, Entry>()
  for (const [index, item] of items.entries()) {
    const place = `${list}[${index}]`
    if (!isFields(item) || typeof item.name !== "string" || item.name === "") {
      throw new PilothouseError("INVALID", `expected a name in ${place} in ${path}, found none; add it`)
    }
    if (found.has(item.name))
      throw new PilothouseError("INVALID", `expected each name once in ${list} in ${path}, found "${item.name}" twice; remove one`)
    const value = item[entry] ?? {}
    if (!isFields(value))
      throw new PilothouseError("INVALID", `expected fields in ${place}.${entry} in ${path}, found ${valueType(value)}; mend the file`)
    checkFields(value, section.fields, `${place}.${entry}`, path)
    found.set(item.name, value as Entry)
  }
  return found
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
