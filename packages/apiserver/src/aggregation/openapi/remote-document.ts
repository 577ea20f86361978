import { PilothouseError } from "@pilothouse/seams"

type Json = Readonly<Record<string, unknown>>

/** The part of a document of OpenAPI v2 that describes one group version. */
export interface SwaggerEntries {
  readonly paths: Json
  readonly definitions: Json
}

/**
 * Returns the paths of a group version, the definitions that they need, and those that no path of the document needs: such ones may be meant for clients, as
 * upstream has it. Throws where the document is of another form.
 */
export function swaggerEntries(document: unknown, prefix: string): SwaggerEntries {
  const { paths, definitions } = objectOf(document, "the document")
  const everyPath = Object.entries(objectOf(paths ?? {}, "paths"))
  const own = everyPath.filter(([path]) => path.startsWith(`${prefix}/`))
  const all = objectOf(definitions ?? {}, "definitions")
  const needed = neededBy(own, all)
  const used = own.length === everyPath.length ? needed : neededBy(everyPath, all)
  const kept = Object.entries(all).filter(([name]) => needed.has(name) || !used.has(name))
  return { paths: Object.fromEntries(own), definitions: Object.fromEntries(kept) }
}

/** The names of the definitions that paths refer to, and those that these refer to. */
function neededBy(paths: readonly (readonly [string, unknown])[], definitions: Json): ReadonlySet<string> {
  const needed = new Set<string>()
  const waiting: unknown[] = paths.map(([, item]) => item)
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    const { $ref } = value as { readonly $ref?: unknown }
    const name = typeof $ref === "string" && $ref.startsWith("#/definitions/") ? $ref.slice("#/definitions/".length) : undefined
    if (name !== undefined && !needed.has(name) && Object.hasOwn(definitions, name)) {
      needed.add(name)
      waiting.push(definitions[name])
    }
    for (const part of Object.values(value)) if (typeof part === "object") waiting.push(part)
  }
  return needed
}

/** Returns the URL of the document of OpenAPI v3 of a group version, out of the list of an extension server; undefined where it lists none. */
export function urlIn(index: unknown, path: string): string | undefined {
  const item = objectOf(objectOf(index, "the list of documents").paths ?? {}, "paths")[path]
  if (item === undefined) return undefined
  const { serverRelativeURL } = objectOf(item, path)
  // A client would follow any URL, with its credentials.
  if (typeof serverRelativeURL === "string" && /^\/openapi\/v3\/apis\/[\w.-]+\/[\w.-]+(\?hash=\w+)?$/.test(serverRelativeURL)) {
    if (serverRelativeURL.startsWith(`/openapi/v3/${path}`)) return serverRelativeURL
  }
  throw new PilothouseError("PROTOCOL", `expected a URL below /openapi/v3/${path} in OpenAPI of an extension server, found another one`)
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json
  throw new PilothouseError("PROTOCOL", `expected an object for ${what} in OpenAPI of an extension server, found something else`)
}
